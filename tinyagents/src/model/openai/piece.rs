//! What one piece of an answer says.

use serde_json::{Map, Value};

/// The fields in which endpoints send reasoning, the most common first; where there are several, they say the same.
pub(super) const REASONING_FIELDS: [&str; 3] = ["reasoning_content", "reasoning", "thinking"];

/// What one piece adds for a reader.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Piece {
    pub(super) reasoning: String,
    pub(super) text: String,
}

impl Piece {
    /// Content is text, or parts of which some are text and some the model's thoughts.
    pub(super) fn add_content(&mut self, content: &Value) {
        match content {
            Value::String(text) => self.text.push_str(text),
            Value::Array(parts) => {
                for part in parts {
                    if let Some(text) = part.get("text").and_then(Value::as_str) {
                        self.text.push_str(text);
                    }
                    match part.get("thinking") {
                        Some(Value::String(thought)) => self.reasoning.push_str(thought),
                        Some(Value::Array(thoughts)) => {
                            for thought in thoughts {
                                let text = thought.get("text").and_then(Value::as_str);
                                self.reasoning.push_str(text.unwrap_or_default());
                            }
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
}

/// What a message says of the model's thoughts, and in which field.
pub(super) fn reasoning_in(fields: &Map<String, Value>) -> Option<(&'static str, &str)> {
    REASONING_FIELDS.into_iter().find_map(|field| {
        let text = fields.get(field)?.as_str()?;
        (!text.is_empty()).then_some((field, text))
    })
}
