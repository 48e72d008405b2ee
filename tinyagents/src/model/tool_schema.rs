//! The declaration of one tool, as a model is shown it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The declaration of one tool, as a model is shown it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolSchema {
    /// The name a model calls it by.
    pub name: String,
    /// What it does and when to use it.
    #[serde(default)]
    pub description: String,
    /// JSON Schema of the arguments object.
    #[serde(default = "any_object")]
    pub parameters: Value,
    /// How a call is written in a text dialect. Default: JSON.
    #[serde(default, skip_serializing_if = "ToolFormat::is_json")]
    pub format: ToolFormat,
}

impl ToolSchema {
    /// A declaration whose calls are written as JSON.
    pub fn new(name: impl Into<String>, description: impl Into<String>, parameters: Value) -> Self {
        Self {
            name: name.into(),
            description: description.into(),
            parameters,
            format: ToolFormat::Json,
        }
    }

    /// Sets how a call is written in a text dialect.
    #[must_use]
    pub fn with_format(mut self, format: ToolFormat) -> Self {
        self.format = format;
        self
    }
}

/// How a call is written in a text dialect.
///
/// After parsing there is one typed call, whatever the format was.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ToolFormat {
    /// `{"name": "search", "arguments": {"query": "rust"}}`.
    #[default]
    Json,
    /// `<search><query>rust</query></search>`.
    Xml,
    /// `search("rust", 5)`.
    #[serde(rename = "ptype")]
    PType {
        /// The arguments that the positions stand for, in order.
        parameters: Vec<String>,
    },
}

impl ToolFormat {
    fn is_json(&self) -> bool {
        *self == Self::Json
    }
}

fn any_object() -> Value {
    serde_json::json!({ "type": "object" })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_format_is_on_the_wire_unless_it_is_json() {
        let schema = ToolSchema::new("search", "Search.", json!({ "type": "object" }));
        let wire = json!({ "name": "search", "description": "Search.", "parameters": { "type": "object" } });
        assert_eq!(serde_json::to_value(&schema).unwrap(), wire);
        assert_eq!(serde_json::from_value::<ToolSchema>(wire).unwrap(), schema);

        for (format, wire) in [
            (ToolFormat::Xml, json!({ "type": "xml" })),
            (
                ToolFormat::PType {
                    parameters: vec!["query".into(), "limit".into()],
                },
                json!({ "type": "ptype", "parameters": ["query", "limit"] }),
            ),
        ] {
            let schema = schema.clone().with_format(format);
            let written = serde_json::to_value(&schema).unwrap();
            assert_eq!(written["format"], wire);
            assert_eq!(
                serde_json::from_value::<ToolSchema>(written).unwrap(),
                schema
            );
        }
    }
}
