//! What a model answers.

use std::ops::{Add, AddAssign};

use serde::{Deserialize, Serialize};

use super::{AssistantMessage, ToolCall};

/// What a model answers.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ModelResponse {
    /// The message: text, calls, or both.
    pub message: AssistantMessage,
    /// Tokens it took.
    pub usage: Usage,
    /// Why the model stopped, in its provider's word, for example `length` where it ran out of tokens.
    pub finish_reason: Option<String>,
}

impl ModelResponse {
    /// A response of one message, with nothing known of its cost.
    #[must_use]
    pub fn new(message: AssistantMessage) -> Self {
        Self {
            message,
            usage: Usage::default(),
            finish_reason: None,
        }
    }

    /// Sets the tokens it took.
    #[must_use]
    pub fn with_usage(mut self, usage: Usage) -> Self {
        self.usage = usage;
        self
    }

    /// Sets why the model stopped.
    #[must_use]
    pub fn with_finish_reason(mut self, reason: Option<String>) -> Self {
        self.finish_reason = reason;
        self
    }

    /// The text; may be empty.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.message.content
    }

    /// The calls, in the model's order.
    #[must_use]
    pub fn tool_calls(&self) -> &[ToolCall] {
        &self.message.tool_calls
    }
}

/// Tokens of one or more requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Tokens read, those from a cache included.
    pub input_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
    /// Tokens read from a cache.
    pub cached_input_tokens: u64,
}

impl Usage {
    /// Tokens read and written, none from a cache.
    #[must_use]
    pub fn new(input_tokens: u64, output_tokens: u64) -> Self {
        Self {
            input_tokens,
            output_tokens,
            cached_input_tokens: 0,
        }
    }
}

impl Add for Usage {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            input_tokens: self.input_tokens.saturating_add(other.input_tokens),
            output_tokens: self.output_tokens.saturating_add(other.output_tokens),
            cached_input_tokens: self
                .cached_input_tokens
                .saturating_add(other.cached_input_tokens),
        }
    }
}

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}
