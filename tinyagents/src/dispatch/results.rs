//! From a tool's result to the row the model reads.

use tinytools::{ToolContent, ToolResult};

use crate::clip::clip_bytes;
use crate::model::{Message, ToolCall, ToolMessage};
use crate::registry::RegisteredTool;

/// The row of one answered call; it carries the name that the model used.
pub(super) fn row(
    requested: &ToolCall,
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
            let row = ToolMessage::new(&requested.id, &requested.name, capped(tool, content));
            // Texts are in the content already, where the caps hold.
            let blocks = std::mem::take(&mut result.content);
            let blocks = blocks.into_iter().filter(|block| !is_text(block)).collect();
            return row.with_error(result.is_error).with_blocks(blocks);
        }
    };
    ToolMessage::new(&requested.id, &requested.name, capped(tool, content))
        .with_error(result.is_error)
}

/// Whether the content says all there is in the block.
fn is_text(block: &ToolContent) -> bool {
    matches!(block, ToolContent::Text { .. } | ToolContent::Json { .. })
}

/// The content within the tool's own bounds, cut on a character boundary and marked as cut.
fn capped(tool: Option<&RegisteredTool>, content: String) -> String {
    let Some(tool) = tool else {
        return content;
    };
    let bytes = tool.policy().runtime.max_result_bytes;
    let bytes = bytes.map_or(usize::MAX, |bytes| {
        usize::try_from(bytes).unwrap_or(usize::MAX)
    });
    cut(
        content,
        bytes,
        tool.max_result_size_chars().unwrap_or(usize::MAX),
    )
}

/// The content, or as much of it as fits with a notice into both bounds.
fn cut(content: String, bytes: usize, chars: usize) -> String {
    let within = |chars: usize| {
        // No text has more characters than bytes.
        let nth = (content.len() > chars).then(|| content.char_indices().nth(chars));
        nth.flatten().map_or(content.len(), |(end, _)| end)
    };
    if content.len() <= bytes && within(chars) == content.len() {
        return content;
    }
    let notice = format!("\n[cut: the result has {} bytes]", content.len());
    match (
        bytes.checked_sub(notice.len()),
        chars.checked_sub(notice.len()),
    ) {
        (Some(bytes), Some(chars)) => {
            let end = content.floor_char_boundary(bytes.min(within(chars)));
            format!("{}{notice}", &content[..end])
        }
        _ => clip_bytes(&content, bytes.min(within(chars))),
    }
}

/// The one user message after a batch's last row; `None` without any follow-up.
pub(super) fn follow_up(blocks: Vec<ToolContent>) -> Option<Message> {
    (!blocks.is_empty()).then(|| Message::user_blocks(blocks))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_result_with_its_notice_is_within_both_bounds() {
        for content in ["x".repeat(1000), "ä".repeat(500), "ab💩".repeat(200)] {
            for bytes in [0, 1, 2, 3, 10, 35, 36, 100, 999, usize::MAX] {
                for chars in [0, 1, 10, 40, 50, 499, usize::MAX] {
                    let shown = cut(content.clone(), bytes, chars);
                    assert!(
                        shown.len() <= bytes && shown.chars().count() <= chars,
                        "{shown}"
                    );
                    if shown != content && bytes.min(chars) >= 40 {
                        assert!(shown.ends_with("bytes]"), "{shown}");
                    }
                }
            }
        }
        assert_eq!(cut("whole".to_owned(), 5, 5), "whole");
    }
}
