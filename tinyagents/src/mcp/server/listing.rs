//! Declarations, as the protocol has them.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool};
use serde_json::{Value, json};

use crate::dispatch::Turn;
use crate::mcp::annotations::annotations;
use crate::model::ToolSchema;

/// Everything that a turn advertises.
pub(super) fn tools(turn: &Turn) -> Vec<Tool> {
    let tools = turn.schemas().iter();
    tools.map(|schema| tool(turn, schema)).collect()
}

/// The declaration of a tool with arguments that a header of the request repeats; none of any other.
pub(super) fn tool_with_headers(schema: &ToolSchema) -> Option<Tool> {
    let mut properties = schema.parameters.get("properties")?.as_object()?.values();
    let has_headers = properties.any(|property| property.get("x-mcp-header").is_some());
    has_headers.then(|| declared(schema))
}

fn declared(schema: &ToolSchema) -> Tool {
    // The protocol's schemas are objects and say so.
    let input = schema.parameters.as_object().cloned();
    let mut input = input.unwrap_or_default();
    input.entry("type").or_insert_with(|| json!("object"));
    Tool::new(
        schema.name.clone(),
        schema.description.clone(),
        Arc::new(input),
    )
}

fn tool(turn: &Turn, schema: &ToolSchema) -> Tool {
    let mut tool = declared(schema);
    let Some(registered) = turn.shown_tool(&schema.name) else {
        return tool;
    };
    tool.title.clone_from(&registered.policy().display.label);
    tool.annotations = annotations(registered.policy());
    tool.output_schema = registered.output_schema().and_then(output).map(Arc::new);
    tool
}

/// A schema that isn't an object, such as `true`, says nothing that a client could check.
fn output(schema: &Value) -> Option<JsonObject> {
    schema.as_object().cloned()
}
