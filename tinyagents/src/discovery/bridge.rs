//! The two tools that stand for all that have to be searched for.

use serde_json::{Map, Value, json};
use tinytools::{Tool, ToolPolicy, ToolResult, anyhow, async_trait};

use crate::model::{ToolCall, ToolSchema};

/// Finds tools.
pub(crate) const TOOL_SEARCH: &str = "tool_search";
/// Calls a tool by its name.
pub(crate) const TOOL_CALL: &str = "tool_call";

/// The declaration of `tool_search`; it costs on every request, so it says no more than it must.
pub(super) fn search_schema(manifest: &str) -> ToolSchema {
    ToolSchema::new(
        TOOL_SEARCH,
        format!("Find more tools; shows their schemas. There are:\n{manifest}"),
        json!({
            "type": "object",
            "properties": { "query": { "type": "string" }, "limit": { "type": "integer" } },
            "required": ["query"],
        }),
    )
}

pub(super) fn call_schema() -> ToolSchema {
    ToolSchema::new(
        TOOL_CALL,
        "Call a tool that tool_search shows.",
        json!({
            "type": "object",
            "properties": { "name": { "type": "string" }, "arguments": { "type": "object" } },
            "required": ["name"],
        }),
    )
}

/// The call inside of a call of `tool_call`, under the same id; `None` where there is none, so that the schema can say
/// what is missing.
pub(crate) fn unwrapped(call: &ToolCall) -> Option<ToolCall> {
    let read;
    let outer = match &call.arguments {
        Value::Object(outer) => outer,
        // Some providers send an object inside of a text.
        Value::String(text) => {
            read = serde_json::from_str::<Map<String, Value>>(text).ok()?;
            &read
        }
        _ => return None,
    };
    let name = outer.get("name")?.as_str()?;
    Some(match outer.get("arguments") {
        Some(Value::String(text)) => ToolCall::from_text(&call.id, name, text),
        Some(arguments) => ToolCall::new(&call.id, name, arguments.clone()),
        None => ToolCall::new(&call.id, name, json!({})),
    })
}

/// What is registered for `tool_call`. It never runs: its calls are those of other tools.
pub(super) struct CallTool;

#[async_trait]
impl Tool for CallTool {
    fn name(&self) -> &'static str {
        TOOL_CALL
    }

    fn description(&self) -> &'static str {
        ""
    }

    fn parameters_schema(&self) -> Value {
        call_schema().parameters
    }

    /// What is unsaid of the tool inside must be unsaid of the whole as well.
    fn policy(&self) -> ToolPolicy {
        let mut policy = ToolPolicy::read_only();
        policy.access.redact = vec!["arguments".to_owned()];
        policy
    }

    async fn execute(&self, _: Value) -> anyhow::Result<ToolResult> {
        Ok(ToolResult::error("the call names no tool"))
    }
}
