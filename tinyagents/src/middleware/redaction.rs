//! Secrets kept from the model, and from what it says.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;
use tinytools::ToolResult;

use super::Middleware;
use crate::context::RunContext;
use crate::error::TinyAgentsError;
use crate::mask::Mask;
use crate::model::{AssistantMessage, Message, ModelRequest, ModelResponse, ToolCall, ToolSchema};
use crate::redaction::REDACTED;

/// Puts a mask in place of given texts: in all that the model is sent, in what it says, and in the results of tools.
/// Addresses of pictures and files are masked too, files that are text, and all that tools are declared by but their names.
/// What is told [while the model speaks](crate::AgentEvent::ModelDelta) is masked as well, reasoning included.
///
/// A provider may have signed its reasoning, and refuse it where a byte is another one. What it sends beside the message
/// ([`extras`](crate::model::AssistantMessage::extras)) therefore goes back to it as it came, and so does the reasoning it
/// may belong to; no event and no `Debug` form shows either. They are part of the transcript that a host keeps.
///
/// The transcript that a host hands in stays as it is; only what is sent of it is masked. Arguments of new calls stay as
/// well, since the tool needs them. Register it first: the `after_*` hooks of later middlewares then run before its own.
///
/// ```
/// use tinyagents::AgentHarness;
/// use tinyagents::middleware::RedactionMiddleware;
///
/// let mut harness: AgentHarness<()> = AgentHarness::new();
/// harness.with_middleware(RedactionMiddleware::new(["sk-live-1234"]));
/// ```
#[derive(Clone)]
pub struct RedactionMiddleware {
    /// Longest first, so that no part of a longer one stays.
    secrets: Vec<String>,
    mask: String,
}

impl RedactionMiddleware {
    /// Masks these texts with `[redacted]`; empty ones are ignored.
    pub fn new<N: Into<String>>(secrets: impl IntoIterator<Item = N>) -> Self {
        Self::with_mask(secrets, REDACTED)
    }

    /// The same with a mask of its own.
    pub fn with_mask<N: Into<String>>(
        secrets: impl IntoIterator<Item = N>,
        mask: impl Into<String>,
    ) -> Self {
        let mut secrets: Vec<String> = secrets.into_iter().map(Into::into).collect();
        secrets.retain(|secret| !secret.is_empty());
        secrets.sort_unstable_by_key(|secret| std::cmp::Reverse(secret.len()));
        Self {
            secrets,
            mask: mask.into(),
        }
    }

    /// Masks what declarations say, but for the tools' names: they are what calls are known by.
    fn tools(&self, tools: &mut Arc<[ToolSchema]>) {
        let mut masked: Option<Vec<ToolSchema>> = None;
        for (position, tool) in tools.iter().enumerate() {
            if self.is_in(&tool.description) || self.is_in_value(&tool.parameters) {
                let tool = &mut masked.get_or_insert_with(|| tools.to_vec())[position];
                self.text(&mut tool.description);
                self.value(&mut tool.parameters);
            }
        }
        if let Some(masked) = masked {
            *tools = masked.into();
        }
    }

    /// From where on a text may be the beginning of a secret.
    pub(super) fn open_end(&self, text: &str) -> usize {
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let may_go_on = |secret: &String| secret.len() > rest.len() && secret.starts_with(rest);
            if self.secrets.iter().any(may_go_on) {
                break;
            }
            let found = self
                .secrets
                .iter()
                .find_map(|secret| rest.strip_prefix(secret.as_str()));
            rest = found.unwrap_or(&rest[first.len_utf8()..]);
        }
        text.len() - rest.len()
    }

    /// Masks what the model thought. Where its provider may have signed that, the provider gets it back as it was.
    fn reasoning(&self, message: &mut AssistantMessage) {
        if !self.is_in(&message.reasoning) {
            return;
        }
        let thought = message.reasoning.clone();
        self.text(&mut message.reasoning);
        if let Some(extras) = &mut message.extras
            && let Some(field) = &extras.reasoning_field
            && !extras.message.is_empty()
        {
            let signed = extras.message.entry(field.clone());
            signed.or_insert(Value::String(thought));
        }
    }

    fn is_in(&self, text: &str) -> bool {
        self.secrets.iter().any(|secret| text.contains(secret))
    }

    fn is_in_value(&self, value: &Value) -> bool {
        match value {
            Value::String(text) => self.is_in(text),
            Value::Number(number) => self.is_in(&number.to_string()),
            Value::Array(items) => items.iter().any(|item| self.is_in_value(item)),
            Value::Object(object) => object
                .iter()
                .any(|(name, value)| self.is_in(name) || self.is_in_value(value)),
            Value::Null | Value::Bool(_) => false,
        }
    }

    fn message(&self, message: &mut Message) {
        match message {
            Message::System(message) => self.text(&mut message.content),
            Message::User(message) => {
                self.text(&mut message.content);
                self.blocks(&mut message.blocks);
            }
            Message::Assistant(message) => {
                self.text(&mut message.content);
                self.reasoning(message);
                for call in &mut message.tool_calls {
                    self.value(&mut call.arguments);
                }
            }
            Message::Tool(message) => {
                self.text(&mut message.content);
                self.blocks(&mut message.blocks);
            }
        }
    }
}

impl Mask for RedactionMiddleware {
    fn mask(&self) -> &str {
        &self.mask
    }

    fn text(&self, text: &mut String) {
        if !self.is_in(text) {
            return;
        }
        let mut masked = String::with_capacity(text.len());
        let mut rest = text.as_str();
        // One pass over the text, so that a secret that is part of the mask doesn't mask it again.
        while let Some(first) = rest.chars().next() {
            let found = self
                .secrets
                .iter()
                .find_map(|secret| rest.strip_prefix(secret.as_str()));
            rest = if let Some(after) = found {
                masked.push_str(&self.mask);
                after
            } else {
                masked.push(first);
                &rest[first.len_utf8()..]
            };
        }
        *text = masked;
    }
}

#[async_trait]
impl Middleware for RedactionMiddleware {
    fn has_wrap_hooks(&self) -> bool {
        false
    }

    fn redaction(&self) -> Option<&RedactionMiddleware> {
        Some(self)
    }

    async fn before_model(
        &self,
        _: &mut RunContext,
        request: &mut ModelRequest,
    ) -> Result<(), TinyAgentsError> {
        for message in &mut request.messages {
            self.message(message);
        }
        self.tools(&mut request.tools);
        Ok(())
    }

    async fn after_model(
        &self,
        _: &mut RunContext,
        response: &mut ModelResponse,
    ) -> Result<(), TinyAgentsError> {
        self.text(&mut response.message.content);
        self.reasoning(&mut response.message);
        Ok(())
    }

    async fn after_tool(
        &self,
        _: &mut RunContext,
        _: &ToolCall,
        result: &mut ToolResult,
    ) -> Result<(), TinyAgentsError> {
        self.result(result);
        Ok(())
    }
}

impl fmt::Debug for RedactionMiddleware {
    /// Shows how many secrets there are, and none of them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedactionMiddleware")
            .field("secrets", &self.secrets.len())
            .finish_non_exhaustive()
    }
}
