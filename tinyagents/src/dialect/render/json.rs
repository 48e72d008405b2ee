//! Calls as JSON in a tag, tools as their schemas.

use serde_json::json;

use super::speech::Speech;
use crate::dialect::grammar;
use crate::model::{ToolCall, ToolSchema};

pub(super) struct Json;

impl Speech for Json {
    fn protocol(&self) -> &'static str {
        "Call a tool by writing its name and arguments as JSON in tags, one pair of tags for each call:\n\
         <tool_call>{\"name\":\"tool_name\",\"arguments\":{\"argument\":\"value\"}}</tool_call>"
    }

    fn entry(&self, schema: &ToolSchema) -> String {
        json!({
            "name": schema.name,
            "description": schema.description,
            "parameters": schema.parameters,
        })
        .to_string()
    }

    fn call(&self, call: &ToolCall, _: &ToolSchema) -> Option<String> {
        Some(tagged(call))
    }
}

/// A call as JSON in its tag.
pub(super) fn tagged(call: &ToolCall) -> String {
    let written = json!({ "name": call.name, "arguments": call.arguments });
    format!("{}{written}{}", grammar::OPEN, grammar::CLOSE)
}
