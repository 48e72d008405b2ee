//! What a model is asked.

use std::sync::Arc;

use serde_json::{Map, Value};
use tokio::time::Instant;

use super::{Message, ToolFormat, ToolSchema};

/// Where the metadata tells the formats of tools.
const TOOL_FORMATS: &str = "tool_formats";

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
    /// What is known of the request and no model reads. A provider whose declarations have no place for
    /// [`ToolSchema::format`] finds it here: `tool_formats` has, by canonical name, the format of each declared tool that
    /// isn't called in JSON. An adapter sends it where its endpoint keeps such things, else it stays with the request.
    pub metadata: Map<String, Value>,
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

    /// Keeps the formats of the tools in the metadata.
    pub(crate) fn keep_formats(&mut self) {
        let formats: Map<String, Value> = self
            .tools
            .iter()
            .filter(|tool| tool.format != ToolFormat::Json)
            .filter_map(|tool| Some((tool.name.clone(), serde_json::to_value(&tool.format).ok()?)))
            .collect();
        if !formats.is_empty() {
            self.metadata
                .insert(TOOL_FORMATS.to_owned(), formats.into());
        }
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn formats_are_read_back_from_the_metadata() {
        let tool = |name: &str| ToolSchema::new(name, "", json!({ "type": "object" }));
        let by_place = ToolFormat::PType {
            parameters: vec!["query".into(), "limit".into()],
        };
        let mut request = ModelRequest::new(vec![]).with_tools([
            tool("search").with_format(by_place.clone()),
            tool("save").with_format(ToolFormat::Xml),
            tool("now"),
        ]);
        request.keep_formats();
        let kept = request.metadata[TOOL_FORMATS].clone();
        let read: Map<String, Value> = serde_json::from_value(kept).unwrap();
        assert_eq!(read.keys().collect::<Vec<_>>(), ["search", "save"]);
        for (name, format) in [("search", by_place), ("save", ToolFormat::Xml)] {
            let read: ToolFormat = serde_json::from_value(read[name].clone()).unwrap();
            assert_eq!(read, format);
        }
    }

    #[test]
    fn tools_in_json_leave_the_metadata_empty() {
        let tool = ToolSchema::new("now", "", json!({ "type": "object" }));
        let mut request = ModelRequest::new(vec![]).with_tools([tool]);
        request.keep_formats();
        assert!(request.metadata.is_empty());
    }
}
