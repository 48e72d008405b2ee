//! From a tool's result to the row the model reads.

use tinytools::{ToolContent, ToolResult};

use crate::admission::clip_bytes;
use crate::model::{Message, ToolMessage};
use crate::registry::RegisteredTool;

/// The row of one answered call.
pub(super) fn row(
    call_id: &str,
    requested_name: &str,
    tool: Option<&RegisteredTool>,
    result: &mut ToolResult,
    prefer_markdown: bool,
) -> ToolMessage {
    let has_markdown = prefer_markdown && result.markdown.is_some();
    let content = match result.content.as_mut_slice() {
        // Text alone needs no copy, and no blocks beside it.
        [ToolContent::Text { text }] if !has_markdown => std::mem::take(text),
        [] | [ToolContent::Text { .. }] => result.output_for_llm(prefer_markdown),
        _ => {
            let content = match result.content.as_slice() {
                [block] if !has_markdown => block.to_string(),
                _ => result.output_for_llm(prefer_markdown),
            };
            let row = ToolMessage::new(call_id, requested_name, capped(tool, content));
            let blocks = std::mem::take(&mut result.content);
            return row.with_error(result.is_error).with_blocks(blocks);
        }
    };
    ToolMessage::new(call_id, requested_name, capped(tool, content)).with_error(result.is_error)
}

/// The content within the tool's own bounds, cut on a character boundary and marked as cut.
fn capped(tool: Option<&RegisteredTool>, content: String) -> String {
    let Some(tool) = tool else {
        return content;
    };
    let by_bytes = tool.policy().runtime.max_result_bytes;
    let by_bytes = by_bytes.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
    let by_chars = tool
        .max_result_size_chars()
        .and_then(|limit| content.char_indices().nth(limit).map(|(bytes, _)| bytes));
    let limit = match (by_bytes, by_chars) {
        (Some(bytes), Some(chars)) => bytes.min(chars),
        (Some(limit), None) | (None, Some(limit)) => limit,
        (None, None) => return content,
    };
    if content.len() <= limit {
        return content;
    }
    let shown = clip_bytes(&content, limit);
    format!("{shown}\n[cut: the result has {} bytes]", content.len())
}

/// The one user message after a batch's last row; `None` without any follow-up.
pub(super) fn follow_up(blocks: Vec<ToolContent>) -> Option<Message> {
    (!blocks.is_empty()).then(|| Message::user_blocks(blocks))
}
