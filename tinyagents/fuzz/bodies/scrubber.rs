//! Any text in pieces gives what it gives whole. The first byte says how it is cut.

use serde_json::json;
use tinyagents::ToolSchema;
use tinyagents::dialect::{ParsedText, StreamScrubber, parse_calls};

/// Scrubs a text in pieces and compares.
pub fn check(data: &[u8]) {
    let Some((&first, rest)) = data.split_first() else {
        return;
    };
    let Ok(text) = std::str::from_utf8(rest) else {
        return;
    };
    let schemas = [
        ToolSchema::new(
            "search",
            "",
            json!({ "type": "object", "properties": { "a": {}, "b": { "type": "string" } } }),
        ),
        ToolSchema::new("now", "", json!({ "type": "object" })),
    ];
    let whole = parse_calls(text, &schemas);
    let mut scrubber = StreamScrubber::new(schemas);
    let mut parsed = ParsedText::default();
    let mut rest = text.as_bytes();
    let mut step = usize::from(first);
    while !rest.is_empty() {
        // Another length each time, from 1 to 7.
        step = (step * 5 + 3) % 251;
        let (piece, after) = rest.split_at((step % 7 + 1).min(rest.len()));
        parsed.push(scrubber.push_bytes(piece));
        rest = after;
    }
    parsed.push(scrubber.finish());
    assert_eq!(parsed.trimmed(), whole);
}
