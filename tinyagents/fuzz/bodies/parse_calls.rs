//! What must hold of any text of a model that was offered two tools.

use serde_json::json;
use tinyagents::dialect::{Dialect, parse_calls, render_call, render_result};
use tinyagents::{ToolMessage, ToolSchema};

/// Parses a text; puts it into an envelope; writes what was read and reads that.
pub fn check(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let schemas = [
        ToolSchema::new(
            "search",
            "",
            json!({
                "type": "object",
                "properties": { "a": { "type": "integer" }, "b": { "type": "string" }, "c": { "type": "array" } }
            }),
        ),
        ToolSchema::new("now", "", json!({ "type": "object", "properties": {} })),
    ];
    let parsed = parse_calls(text, &schemas);
    assert_eq!(parsed.text, parsed.text.trim());
    assert!(parsed.text.len() + parsed.reasoning.len() <= text.len());
    for call in &parsed.calls {
        if call.invalid.is_some() {
            assert!(
                call.arguments.is_string(),
                "what can't be read is kept as text"
            );
            continue;
        }
        // Written and read again, a number may change in its last bit.
        let again = serde_json::from_str::<serde_json::Value>(&call.arguments.to_string()).ok();
        if again.as_ref() != Some(&call.arguments) {
            continue;
        }
        let schema = schemas.iter().find(|schema| schema.name == call.name);
        let Some(schema) = schema.filter(|_| call.arguments.is_object()) else {
            continue;
        };
        let mut plain = call.clone();
        plain.id.clear();
        for dialect in Dialect::ALL {
            let written = render_call(dialect, &plain, schema);
            let read = parse_calls(&written, &schemas).calls;
            assert_eq!(read, [plain.clone()], "{dialect:?}: {written}");
        }
    }
    let wrapped = render_result(Dialect::Json, &ToolMessage::new(text, "search", text));
    let read = parse_calls(&wrapped, &schemas);
    assert!(read.calls.is_empty(), "a result is no call");
    assert_eq!(wrapped.matches("</tool_result>").count(), 1);
}
