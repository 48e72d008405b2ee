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

fn tool(turn: &Turn, schema: &ToolSchema) -> Tool {
    // The protocol's schemas are objects and say so.
    let input = schema.parameters.as_object().cloned();
    let mut input = input.unwrap_or_default();
    input.entry("type").or_insert_with(|| json!("object"));
    let mut tool = Tool::new(
        schema.name.clone(),
        schema.description.clone(),
        Arc::new(input),
    );
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
