//! What a tool hands back.

mod content;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use content::{MediaSource, ToolContent};

/// The answer of one call: content blocks, and whether they tell of a failure.
///
/// ```
/// use tinytools::ToolResult;
///
/// let result = ToolResult::success("4 °C").with_markdown("**4 °C**");
/// assert_eq!(result.output_for_llm(false), "4 °C");
/// assert_eq!(result.output_for_llm(true), "**4 °C**");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ToolResult {
    /// What the model reads.
    pub content: Vec<ToolContent>,
    /// The tool ran and refused, or failed in a way the model should know.
    pub is_error: bool,
    /// The same answer as Markdown, for a host that prefers it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub markdown: Option<String>,
    /// Becomes a user message after the batch, for content that a tool row can't carry.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub follow_up: Vec<ToolContent>,
    /// For the host alone; never part of the transcript.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Value>,
    /// Ends the run with this result. Default: what the tool declares.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub return_direct: Option<bool>,
}

impl ToolResult {
    /// An answer of one text block.
    pub fn success(text: impl Into<String>) -> Self {
        Self::from(ToolContent::text(text))
    }

    /// A refusal or failure that the model should read.
    pub fn error(text: impl Into<String>) -> Self {
        Self {
            is_error: true,
            ..Self::success(text)
        }
    }

    /// An answer of one JSON block.
    #[must_use]
    pub fn json(value: Value) -> Self {
        Self::from(ToolContent::Json { json: value })
    }

    /// An answer of one text block that has a Markdown form as well.
    pub fn success_with_markdown(text: impl Into<String>, markdown: impl Into<String>) -> Self {
        Self::success(text).with_markdown(markdown)
    }

    /// Adds a Markdown form of the whole answer.
    #[must_use]
    pub fn with_markdown(mut self, markdown: impl Into<String>) -> Self {
        self.markdown = Some(markdown.into());
        self
    }

    /// Adds a content block.
    #[must_use]
    pub fn with_content(mut self, content: ToolContent) -> Self {
        self.content.push(content);
        self
    }

    /// Adds a block to the user message that follows the batch.
    #[must_use]
    pub fn with_follow_up(mut self, content: ToolContent) -> Self {
        self.follow_up.push(content);
        self
    }

    /// Sets data for the host alone.
    #[must_use]
    pub fn with_metadata(mut self, metadata: Value) -> Self {
        self.metadata = Some(metadata);
        self
    }

    /// Adds a reference to content kept elsewhere.
    #[must_use]
    pub fn with_artifact(self, uri: impl Into<String>, media_type: impl Into<String>) -> Self {
        self.with_content(ToolContent::Artifact {
            uri: uri.into(),
            media_type: Some(media_type.into()),
            bytes: None,
            description: None,
        })
    }

    /// Says whether the run ends with this result, whatever the tool declares.
    #[must_use]
    pub fn with_return_direct(mut self, return_direct: bool) -> Self {
        self.return_direct = Some(return_direct);
        self
    }

    /// The text blocks, joined by newlines.
    #[must_use]
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self
            .content
            .iter()
            .filter_map(|block| match block {
                ToolContent::Text { text } => Some(text.as_str()),
                _ => None,
            })
            .collect();
        texts.join("\n")
    }

    /// Every block as text, joined by newlines: JSON compact, media and artifacts as a short note.
    #[must_use]
    pub fn output(&self) -> String {
        match self.content.as_slice() {
            [ToolContent::Text { text }] => text.clone(),
            [block] => block.to_string(),
            blocks => {
                let blocks: Vec<String> = blocks.iter().map(ToString::to_string).collect();
                blocks.join("\n")
            }
        }
    }

    /// What the model reads: the Markdown form where it is preferred and not blank, else [`output`](Self::output).
    #[must_use]
    pub fn output_for_llm(&self, prefer_markdown: bool) -> String {
        match &self.markdown {
            Some(markdown) if prefer_markdown && !markdown.trim().is_empty() => markdown.clone(),
            _ => self.output(),
        }
    }
}

impl From<ToolContent> for ToolResult {
    #[inline]
    fn from(content: ToolContent) -> Self {
        Self {
            content: vec![content],
            ..Self::default()
        }
    }
}

/// What a tool function may return as it is.
///
/// Any `Serialize` type needs no implementation: it becomes a JSON block. Implement this trait for a type that should
/// be told to the model in another way; it then wins over `Serialize`.
pub trait IntoToolResult {
    /// The answer a model reads.
    fn into_tool_result(self) -> ToolResult;
}

impl IntoToolResult for ToolResult {
    #[inline]
    fn into_tool_result(self) -> ToolResult {
        self
    }
}

impl IntoToolResult for ToolContent {
    #[inline]
    fn into_tool_result(self) -> ToolResult {
        self.into()
    }
}

impl IntoToolResult for Vec<ToolContent> {
    #[inline]
    fn into_tool_result(self) -> ToolResult {
        ToolResult {
            content: self,
            ..ToolResult::default()
        }
    }
}

impl IntoToolResult for String {
    #[inline]
    fn into_tool_result(self) -> ToolResult {
        ToolResult::success(self)
    }
}

impl IntoToolResult for &str {
    #[inline]
    fn into_tool_result(self) -> ToolResult {
        ToolResult::success(self)
    }
}

/// No content: the call succeeded and there is nothing to tell.
impl IntoToolResult for () {
    #[inline]
    fn into_tool_result(self) -> ToolResult {
        ToolResult::default()
    }
}

impl IntoToolResult for Value {
    #[inline]
    fn into_tool_result(self) -> ToolResult {
        ToolResult::json(self)
    }
}
