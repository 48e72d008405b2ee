//! The answer row of one tool call.

use serde::{Deserialize, Serialize};
use tinytools::ToolContent;

/// The answer of one tool call, as the model reads it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolMessage {
    /// The id of the call that is answered.
    pub call_id: String,
    /// The name the model used.
    #[serde(default)]
    pub tool_name: String,
    /// The text.
    #[serde(default)]
    pub content: String,
    /// Whether it tells of a failure.
    #[serde(default)]
    pub is_error: bool,
    /// The content block by block, for a model that reads more than text; empty where there is text alone.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        with = "super::deep_json"
    )]
    pub blocks: Vec<ToolContent>,
}

impl ToolMessage {
    /// A successful answer.
    pub fn new(
        call_id: impl Into<String>,
        tool_name: impl Into<String>,
        content: impl Into<String>,
    ) -> Self {
        Self {
            call_id: call_id.into(),
            tool_name: tool_name.into(),
            content: content.into(),
            is_error: false,
            blocks: Vec::new(),
        }
    }

    /// An answer that tells of a failure.
    pub fn error(
        call_id: impl Into<String>,
        tool_name: impl Into<String>,
        content: impl Into<String>,
    ) -> Self {
        Self::new(call_id, tool_name, content).with_error(true)
    }

    /// Says whether it tells of a failure.
    #[must_use]
    pub fn with_error(mut self, is_error: bool) -> Self {
        self.is_error = is_error;
        self
    }

    /// Sets the content blocks.
    #[must_use]
    pub fn with_blocks(mut self, blocks: Vec<ToolContent>) -> Self {
        self.blocks = blocks;
        self
    }
}
