//! What must hold of calls as tags: the text is what stands between the tool's tags.

use serde_json::{Value, json};
use tinyagents::dialect::{Dialect, parse_calls, render_call};
use tinyagents::{ToolCall, ToolSchema};

/// Reads the arguments as tags, and as JSON that is to be written as tags.
pub fn check(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let parameters = json!({
        "type": "object",
        "properties": {
            "a": { "type": "object", "properties": { "a": { "type": "string" } } },
            "b": { "type": "string" },
            "c": { "type": "array", "items": { "type": "string" } },
            "d": {}
        }
    });
    let schemas = [ToolSchema::new("search", "", parameters)];
    let written = format!("<search>{text}</search>");
    for call in parse_calls(&written, &schemas).calls {
        if call.invalid.is_none() && call.name == "search" {
            assert_read_back(&call, &schemas);
        }
    }
    if let Ok(arguments @ Value::Object(_)) = serde_json::from_str(text) {
        let call = ToolCall::new("", "search", arguments);
        // Text of an object or a list where the schema wants one is that.
        if !call.arguments["a"].is_string() && !call.arguments["c"].is_string() {
            assert_read_back(&call, &schemas);
        }
    }
}

fn assert_read_back(call: &ToolCall, schemas: &[ToolSchema; 1]) {
    // Written and read again, a number may change in its last bit.
    let again = serde_json::from_str::<Value>(&call.arguments.to_string()).ok();
    if again.as_ref() != Some(&call.arguments) {
        return;
    }
    let mut call = call.clone();
    call.id.clear();
    let written = render_call(Dialect::Xml, &call, &schemas[0]);
    assert_eq!(parse_calls(&written, schemas).calls, [call], "{written}");
}
