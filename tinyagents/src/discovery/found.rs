//! What a search answers.

use serde_json::{Value, json};
use tinytools::ToolResult;

use super::TOOL_SEARCH;
use crate::model::{Message, ToolSchema};

/// The schemas that were found, as the model reads them.
pub(super) fn answer(found: &[&ToolSchema], note: Option<&str>) -> ToolResult {
    let tools: Vec<Value> = found
        .iter()
        .map(|tool| {
            json!({
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.parameters,
            })
        })
        .collect();
    let mut answer = json!({ "tools": tools });
    if let Some(note) = note {
        answer["note"] = note.into();
    }
    ToolResult::success(answer.to_string())
}

/// The names of the tools that the searches of a transcript have found, in order: what had been brought into its
/// requests. Rows that were cut short tell nothing.
pub(crate) fn names_found(messages: &[Message]) -> Vec<String> {
    let rows = messages.iter().filter_map(Message::as_tool);
    rows.filter(|row| row.tool_name == TOOL_SEARCH && !row.is_error)
        .filter_map(|row| serde_json::from_str::<Value>(&row.content).ok())
        .flat_map(|answer| {
            let tools = answer["tools"].as_array().cloned().unwrap_or_default();
            tools
                .into_iter()
                .filter_map(|tool| tool["name"].as_str().map(str::to_owned))
        })
        .collect()
}
