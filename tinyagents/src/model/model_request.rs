//! What a model is asked.

use std::sync::Arc;

use tokio::time::Instant;

use super::{Message, ToolSchema};

/// What a model is asked.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ModelRequest {
    /// The transcript so far.
    pub messages: Vec<Message>,
    /// The tools the model may call; shared between turns.
    pub tools: Arc<[ToolSchema]>,
    /// Whether a tool must be called.
    pub tool_choice: ToolChoice,
    /// Most tokens of the answer. Default: the model's own bound.
    pub max_output_tokens: Option<u64>,
    /// When an answer is of no use any more; a model doesn't wait beyond it before it tries again.
    pub deadline: Option<Instant>,
}

impl ModelRequest {
    /// A request without tools.
    #[must_use]
    pub fn new(messages: Vec<Message>) -> Self {
        Self {
            messages,
            ..Self::default()
        }
    }

    /// Sets the tools.
    #[must_use]
    pub fn with_tools(mut self, tools: impl Into<Arc<[ToolSchema]>>) -> Self {
        self.tools = tools.into();
        self
    }

    /// Sets whether a tool must be called.
    #[must_use]
    pub fn with_tool_choice(mut self, tool_choice: ToolChoice) -> Self {
        self.tool_choice = tool_choice;
        self
    }

    /// Bounds the answer.
    #[must_use]
    pub fn with_max_output_tokens(mut self, tokens: Option<u64>) -> Self {
        self.max_output_tokens = tokens;
        self
    }

    /// Sets when an answer is of no use any more.
    #[must_use]
    pub fn with_deadline(mut self, deadline: Option<Instant>) -> Self {
        self.deadline = deadline;
        self
    }
}

/// Whether a tool must be called.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolChoice {
    /// As the model likes.
    #[default]
    Auto,
    /// No tool.
    None,
    /// Some tool.
    Required,
    /// The tool of this canonical name.
    Tool(String),
}
