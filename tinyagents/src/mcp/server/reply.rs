//! The answer of a call, as the protocol has it.

use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::Value;
use tinytools::ToolContent;

use super::content::block;
use crate::dispatch::{Batch, Turn};
use crate::model::{Message, ToolMessage};
use crate::registry::RegisteredTool;
use crate::schema::Validator;

/// The answer of a batch of one call. `None` where it has left the loop without one.
pub(super) fn reply(turn: &Turn, batch: Batch) -> Option<CallToolResult> {
    let row = batch.messages.into_iter().next()?;
    let mut result = row_reply(turn, row);
    // Here is no transcript, in which it would be a message of its own.
    for message in batch.follow_up {
        if let Message::User(message) = message {
            result.content.extend(message.blocks.into_iter().map(block));
        }
    }
    Some(result)
}

/// A failure, in words for the model.
pub(super) fn failure(text: impl Into<String>) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(text)])
}

fn row_reply(turn: &Turn, row: ToolMessage) -> CallToolResult {
    let tool = turn.shown_tool(&row.tool_name);
    let promised = tool.and_then(RegisteredTool::output_validator);
    let mut structured = None;
    let content = if row.blocks.is_empty() {
        structured = promised.and_then(|promised| told_structure(promised, &row.content));
        vec![ContentBlock::text(row.content)]
    } else {
        let told = |content| match content {
            // JSON is told as text, too: most clients show a model nothing else.
            ToolContent::Json { json } => {
                let text = ContentBlock::text(json.to_string());
                structured.get_or_insert(json);
                text
            }
            other => block(other),
        };
        row.blocks.into_iter().map(told).collect()
    };
    // A result that was cut is no longer what the tool has promised, and a client would refuse it as such.
    if row.is_error || (promised.is_some() && structured.is_none()) {
        return CallToolResult::error(content);
    }
    let mut result = CallToolResult::success(content);
    result.structured_content = structured;
    result
}

/// A structured result that was told as text: a string as it is, anything else as JSON.
fn told_structure(promised: &Validator, text: &str) -> Option<Value> {
    let string = Value::from(text);
    if promised.is_valid(&string) {
        return Some(string);
    }
    let value = serde_json::from_str(text).ok()?;
    promised.is_valid(&value).then_some(value)
}
