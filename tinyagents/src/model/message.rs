//! One message of a transcript.

use serde::{Deserialize, Serialize};
use tinytools::ToolContent;

use super::{ProviderExtras, ToolCall, ToolMessage};
use crate::deferred::DeferredToolRequests;

/// One message of a transcript.
///
/// On the wire it is an object with a `role`: `{"role": "user", "content": "…"}`.
///
/// ```
/// use tinyagents::Message;
///
/// let messages = [Message::system("Be brief."), Message::user("What is the weather in Oslo?")];
/// assert_eq!(messages[1].text(), "What is the weather in Oslo?");
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Message {
    /// Instructions of the host.
    System(SystemMessage),
    /// What the user says, or content that follows a batch of tool results.
    User(UserMessage),
    /// What the model says, and the calls it makes.
    Assistant(AssistantMessage),
    /// The answer of one tool call.
    Tool(ToolMessage),
}

impl Message {
    /// Instructions of the host.
    pub fn system(content: impl Into<String>) -> Self {
        Self::System(SystemMessage {
            content: content.into(),
        })
    }

    /// What the user says.
    pub fn user(content: impl Into<String>) -> Self {
        Self::User(UserMessage {
            content: content.into(),
            blocks: Vec::new(),
        })
    }

    /// What the user says, in content blocks; their text forms, joined by newlines, are the message's text.
    #[must_use]
    pub fn user_blocks(blocks: Vec<ToolContent>) -> Self {
        let texts: Vec<String> = blocks.iter().map(ToString::to_string).collect();
        Self::User(UserMessage {
            content: texts.join("\n"),
            blocks,
        })
    }

    /// The one user message after a batch's last row; `None` without any follow-up.
    pub(crate) fn follow_up(blocks: Vec<ToolContent>) -> Option<Self> {
        (!blocks.is_empty()).then(|| Self::user_blocks(blocks))
    }

    /// What the model says.
    pub fn assistant(content: impl Into<String>) -> Self {
        Self::Assistant(AssistantMessage::new(content))
    }

    /// The calls the model makes, and what it says beside them.
    pub fn assistant_calls(content: impl Into<String>, tool_calls: Vec<ToolCall>) -> Self {
        Self::Assistant(AssistantMessage::new(content).with_tool_calls(tool_calls))
    }

    /// The answer of one tool call.
    pub fn tool(
        call_id: impl Into<String>,
        tool_name: impl Into<String>,
        content: impl Into<String>,
    ) -> Self {
        Self::Tool(ToolMessage::new(call_id, tool_name, content))
    }

    /// The message's text; empty for an assistant message of calls alone.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::System(message) => &message.content,
            Self::User(message) => &message.content,
            Self::Assistant(message) => &message.content,
            Self::Tool(message) => &message.content,
        }
    }

    /// The calls the message makes; none unless it is an assistant's.
    #[must_use]
    pub fn tool_calls(&self) -> &[ToolCall] {
        self.as_assistant()
            .map_or(&[], |message| message.tool_calls.as_slice())
    }

    /// The tool message, if it is one.
    #[must_use]
    pub fn as_tool(&self) -> Option<&ToolMessage> {
        match self {
            Self::Tool(message) => Some(message),
            _ => None,
        }
    }

    /// The assistant message, if it is one.
    #[must_use]
    pub fn as_assistant(&self) -> Option<&AssistantMessage> {
        match self {
            Self::Assistant(message) => Some(message),
            _ => None,
        }
    }

    /// The user message, if it is one.
    #[must_use]
    pub fn as_user(&self) -> Option<&UserMessage> {
        match self {
            Self::User(message) => Some(message),
            _ => None,
        }
    }
}

impl From<ToolMessage> for Message {
    fn from(message: ToolMessage) -> Self {
        Self::Tool(message)
    }
}

impl From<AssistantMessage> for Message {
    fn from(message: AssistantMessage) -> Self {
        Self::Assistant(message)
    }
}

/// Instructions of the host.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct SystemMessage {
    /// The text.
    pub content: String,
}

/// What the user says.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct UserMessage {
    /// The text; with blocks, their text form.
    pub content: String,
    /// The content block by block, for a model that reads more than text; empty where there is text alone.
    #[serde(skip_serializing_if = "Vec::is_empty", with = "super::deep_json")]
    pub blocks: Vec<ToolContent>,
}

/// What the model says, and the calls it makes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct AssistantMessage {
    /// The text; may be empty.
    pub content: String,
    /// The calls, in the model's order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// What the model thought aloud before it answered; may be empty. Sent back only to where it came from.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reasoning: String,
    /// What the provider sent beside all this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extras: Option<Box<ProviderExtras>>,
    /// Calls of this message that wait for an answer from outside. Host only: kept with the transcript, never sent to a
    /// model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deferred: Option<Box<DeferredToolRequests>>,
}

impl AssistantMessage {
    /// A message of text alone.
    pub fn new(content: impl Into<String>) -> Self {
        Self {
            content: content.into(),
            ..Self::default()
        }
    }

    /// Sets the calls.
    #[must_use]
    pub fn with_tool_calls(mut self, tool_calls: Vec<ToolCall>) -> Self {
        self.tool_calls = tool_calls;
        self
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn assert_wire(message: &Message, wire: &Value) {
        assert_eq!(&serde_json::to_value(message).unwrap(), wire);
        assert_eq!(
            &serde_json::from_value::<Message>(wire.clone()).unwrap(),
            message
        );
    }

    #[test]
    fn every_role_has_its_wire_form() {
        assert_wire(
            &Message::system("Be brief."),
            &json!({ "role": "system", "content": "Be brief." }),
        );
        assert_wire(
            &Message::user("go"),
            &json!({ "role": "user", "content": "go" }),
        );
        assert_wire(
            &Message::user_blocks(vec![
                ToolContent::text("look"),
                ToolContent::image_url("https://x.test/a.png"),
            ]),
            &json!({
                "role": "user",
                "content": "look\n[image: https://x.test/a.png]",
                "blocks": [
                    { "type": "text", "text": "look" },
                    { "type": "image", "url": "https://x.test/a.png" }
                ]
            }),
        );
        assert_wire(
            &Message::assistant("Four degrees."),
            &json!({ "role": "assistant", "content": "Four degrees." }),
        );
        assert_wire(
            &Message::assistant_calls(
                "",
                vec![ToolCall::new("c1", "weather", json!({ "city": "Oslo" }))],
            ),
            &json!({
                "role": "assistant",
                "content": "",
                "tool_calls": [{ "id": "c1", "name": "weather", "arguments": { "city": "Oslo" } }]
            }),
        );
        assert_wire(
            &Message::tool("c1", "weather", "4 °C"),
            &json!({
                "role": "tool", "call_id": "c1", "tool_name": "weather", "content": "4 °C", "is_error": false
            }),
        );
    }

    #[test]
    fn unknown_fields_of_a_newer_version_are_ignored() {
        let message: Message =
            serde_json::from_value(json!({ "role": "user", "content": "go", "mood": "good" }))
                .unwrap();
        assert_eq!(message, Message::user("go"));
    }

    #[test]
    fn only_the_right_role_is_handed_out() {
        let tool = Message::tool("c1", "weather", "4 °C");
        assert_eq!(tool.as_tool().unwrap().call_id, "c1");
        assert!(tool.as_assistant().is_none() && tool.as_user().is_none());
        assert!(tool.tool_calls().is_empty());
        assert!(Message::user("go").as_tool().is_none());
    }
}
