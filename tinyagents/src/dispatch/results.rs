//! From a tool's result to the row the model reads.

use serde_json::Value;
use tinytools::{MediaSource, ToolContent, ToolResult};

use super::bounds::Bounds;
use crate::admission::CurrentCall;
use crate::artifacts;
use crate::context::RunContext;
use crate::events::AgentEvent;
use crate::model::{ToolCall, ToolMessage};

/// Bytes of a type that nobody has told.
const UNKNOWN: &str = "application/octet-stream";

/// How a row is read.
#[derive(Clone, Copy)]
pub(super) struct Reader {
    /// The Markdown form comes first, where there is one.
    pub(super) prefers_markdown: bool,
    /// The blocks are read where there are any, and hold everything; else they hold what the content can't.
    pub(super) is_by_block: bool,
}

/// The row of one answered call; it carries the name that the model used. What is over the bounds is cut.
pub(super) fn row(
    requested: &ToolCall,
    bounds: &Bounds,
    result: &mut ToolResult,
    reader: Reader,
) -> ToolMessage {
    let whole = content(result, reader);
    if bounds.hold(&whole) {
        return finish(requested, bounds, (whole, true), result, reader);
    }
    cut_row(requested, bounds, whole, None, result, reader)
}

/// The same with a store attached: inline bytes, and content over the bounds, go into it whole, and the row has
/// references. Where the store fails, the host is told, and the row is as it would be without one.
pub(super) async fn stored_row(
    ctx: &RunContext,
    call: &CurrentCall<'_>,
    bounds: &Bounds,
    result: &mut ToolResult,
    reader: Reader,
) -> ToolMessage {
    for block in &mut result.content {
        if let Some((name, media_type, bytes)) = inline(block) {
            let size = bytes.len();
            if let Some(uri) = keep(ctx, call, &media_type, bytes).await {
                *block = reference(uri, media_type, size, name);
            }
        }
    }
    let media_type = media_type(result, reader);
    let whole = content(result, reader);
    if bounds.hold(&whole) {
        return finish(&call.requested(), bounds, (whole, true), result, reader);
    }
    let size = whole.len();
    let uri = keep(ctx, call, media_type, whole.clone().into_bytes()).await;
    let mut row = cut_row(
        &call.requested(),
        bounds,
        whole,
        uri.as_deref(),
        result,
        reader,
    );
    if let Some(uri) = uri {
        let whole = "the whole result".to_owned();
        let whole = reference(uri, media_type.to_owned(), size, Some(whole));
        if reader.is_by_block && row.blocks.is_empty() {
            row.blocks.push(ToolContent::text(row.content.clone()));
        }
        row.blocks.push(whole);
    }
    row
}

/// Puts the bytes into the run's store. A failure is the host's to know, and changes nothing of the call.
async fn keep(
    ctx: &RunContext,
    call: &ToolCall,
    media_type: &str,
    bytes: Vec<u8>,
) -> Option<String> {
    let store = ctx.artifact_store()?;
    let size = bytes.len();
    match artifacts::keep(store.as_ref(), media_type, bytes).await {
        Ok(uri) => Some(uri),
        Err(error) => {
            ctx.emit_with(|| AgentEvent::ArtifactFailed {
                call_id: call.id.clone(),
                tool_name: call.name.clone(),
                bytes: size,
                error,
            });
            None
        }
    }
}

/// What the model reads, without any bound.
fn content(result: &mut ToolResult, reader: Reader) -> String {
    let has_markdown = has_markdown_for(reader, result);
    match result.content.as_mut_slice() {
        // Text alone needs no copy.
        [ToolContent::Text { text }] if !has_markdown => std::mem::take(text),
        [ToolContent::Json { json }] if !has_markdown => json_text(json),
        [block] if !has_markdown => block.to_string(),
        _ => result.output_for_llm(reader.prefers_markdown),
    }
}

/// JSON as text; an integer, which a small tool often returns, without the way through a formatter.
fn json_text(json: &Value) -> String {
    match json.as_i64() {
        Some(integer) => integer.to_string(),
        None => json.to_string(),
    }
}

fn has_markdown_for(reader: Reader, result: &ToolResult) -> bool {
    let markdown = result.markdown.as_deref().unwrap_or_default();
    reader.prefers_markdown && !markdown.trim().is_empty()
}

/// The row of a result that is over the bounds. The host is told where it was its own bound.
fn cut_row(
    requested: &ToolCall,
    bounds: &Bounds,
    whole: String,
    kept_as: Option<&str>,
    result: &mut ToolResult,
    reader: Reader,
) -> ToolMessage {
    // Its text is part of the content, and would be whole beside what is left of that.
    result
        .content
        .retain(|block| !matches!(block, ToolContent::Other(_)));
    if bounds.truncate(&whole) {
        flag(result, whole.len());
    }
    let shown = bounds.cut(whole, kept_as);
    finish(requested, bounds, (shown, false), result, reader)
}

/// Says in the metadata that the result was cut, and how long it was; data of the tool's own stays.
fn flag(result: &mut ToolResult, bytes: usize) {
    let metadata = result
        .metadata
        .get_or_insert_with(|| Value::Object(serde_json::Map::new()));
    if let Value::Object(metadata) = metadata {
        metadata.insert("truncated".to_owned(), true.into());
        metadata.insert("full_bytes".to_owned(), bytes.into());
    }
}

/// The row, with the blocks that are more than text; texts are in the content already, where the bounds hold. Whoever
/// reads by the block gets all of them.
fn finish(
    requested: &ToolCall,
    bounds: &Bounds,
    (content, is_whole): (String, bool),
    result: &mut ToolResult,
    reader: Reader,
) -> ToolMessage {
    let row = ToolMessage {
        call_id: requested.id.clone(),
        tool_name: requested.name.clone(),
        content,
        is_error: result.is_error,
        blocks: Vec::new(),
    };
    let has_text_alone = match result.content.as_slice() {
        [] | [ToolContent::Text { .. }] => true,
        blocks => !reader.is_by_block && blocks.iter().all(is_text),
    };
    if has_text_alone {
        return row;
    }
    let has_markdown = has_markdown_for(reader, result);
    let blocks = std::mem::take(&mut result.content).into_iter();
    if !reader.is_by_block {
        let blocks = blocks.filter(|block| !is_text(block) && bounds.hold_media(block));
        return row.with_blocks(blocks.collect());
    }
    let is_in_content = |block: &ToolContent| match block {
        ToolContent::Text { .. } => has_markdown || !is_whole,
        ToolContent::Json { .. } => !is_whole,
        _ => !is_whole && !bounds.hold_media(block),
    };
    let text = (has_markdown || !is_whole).then(|| ToolContent::text(row.content.clone()));
    let rest = blocks.filter(|block| !is_in_content(block)).map(|block| {
        if bounds.hold_media(&block) {
            return block;
        }
        ToolContent::text(block.to_string())
    });
    let blocks = text.into_iter().chain(rest).collect();
    row.with_blocks(blocks)
}

/// Whether the content says all there is in the block.
fn is_text(block: &ToolContent) -> bool {
    matches!(block, ToolContent::Text { .. } | ToolContent::Json { .. })
}

/// The name, type and bytes of a block that carries its bytes; the block is left without them only by being replaced.
fn inline(block: &ToolContent) -> Option<(Option<String>, String, Vec<u8>)> {
    let (name, media_type, source) = match block {
        ToolContent::Image { source, media_type } => (None, media_type, source),
        ToolContent::File {
            name,
            source,
            media_type,
        } => (Some(name.clone()), media_type, source),
        _ => return None,
    };
    let MediaSource::Inline { data } = source else {
        return None;
    };
    let media_type = media_type.as_deref().unwrap_or(UNKNOWN).to_owned();
    Some((name, media_type, data.clone()))
}

fn reference(
    uri: String,
    media_type: String,
    size: usize,
    description: Option<String>,
) -> ToolContent {
    ToolContent::Artifact {
        uri,
        media_type: Some(media_type),
        bytes: u64::try_from(size).ok(),
        description,
    }
}

/// The type of what the model reads.
fn media_type(result: &ToolResult, reader: Reader) -> &'static str {
    match result.content.as_slice() {
        _ if has_markdown_for(reader, result) => "text/markdown",
        [ToolContent::Json { .. }] => "application/json",
        _ => "text/plain",
    }
}
