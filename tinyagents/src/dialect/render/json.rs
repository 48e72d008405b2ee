//! Calls as JSON in a tag, tools as their schemas.

use serde_json::json;

use super::speech::Speech;
use crate::dialect::grammar::{CLOSE, OPEN};
use crate::model::{ToolCall, ToolSchema};

pub(super) struct Json;

impl Speech for Json {
    fn protocol(&self) -> String {
        let example = r#"{"name":"tool_name","arguments":{"argument":"value"}}"#;
        format!(
            "Call a tool by writing its name and arguments as JSON in tags, one pair of tags for each call:\n\
             {OPEN}{example}{CLOSE}"
        )
    }

    fn entry(&self, schema: &ToolSchema) -> Option<String> {
        Some(declaration(schema))
    }

    fn call(&self, call: &ToolCall, _: &ToolSchema) -> Option<String> {
        Some(tagged(call))
    }
}

/// A tool as its schema.
pub(super) fn declaration(schema: &ToolSchema) -> String {
    json!({
        "name": schema.name,
        "description": schema.description,
        "parameters": schema.parameters,
    })
    .to_string()
}

/// A call as JSON in its tag.
pub(super) fn tagged(call: &ToolCall) -> String {
    let written = json!({ "name": call.name, "arguments": call.arguments });
    format!("{OPEN}{written}{CLOSE}")
}
