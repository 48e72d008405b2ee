//! What must hold of calls as expressions: the text is what stands between the parentheses.

use serde_json::{Value, json};
use tinyagents::dialect::{Dialect, parse_calls, render_call};
use tinyagents::{ToolCall, ToolSchema};

/// Reads the arguments as an expression, and as JSON that is to be written as one.
pub fn check(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let parameters =
        json!({ "type": "object", "properties": { "a": { "type": "object" }, "b": {}, "c": {} } });
    let schemas = [ToolSchema::new("search", "", parameters)];
    let written = format!("search({text})");
    for call in parse_calls(&written, &schemas).calls {
        if call.invalid.is_none() {
            assert_read_back(&call, &schemas);
        }
    }
    if let Ok(arguments @ Value::Object(_)) = serde_json::from_str(text) {
        let call = ToolCall::new("", "search", arguments);
        // Text of an object where the schema wants one is that object.
        if !call.arguments["a"].is_string() {
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
    for dialect in [Dialect::PType, Dialect::Python, Dialect::TypeScript] {
        let written = render_call(dialect, call, &schemas[0]);
        assert_eq!(
            parse_calls(&written, schemas).calls,
            std::slice::from_ref(call),
            "{written}"
        );
    }
}
