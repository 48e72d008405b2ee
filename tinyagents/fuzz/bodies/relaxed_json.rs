//! What must hold of any text that is to be mended.

use serde_json::Value;
use tinyagents::ToolCall;
use tinyagents::relaxed_json::recover_relaxed_object;

/// Mends a text and checks what came of it.
pub fn check(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let found = recover_relaxed_object(text).map(Value::Object);
    let call = ToolCall::from_text("c1", "t", text);
    if call.invalid.is_none() && call.arguments.is_object() && !text.trim().is_empty() {
        if text.trim() != "null" {
            assert_eq!(
                found.as_ref(),
                Some(&call.arguments),
                "JSON comes through as it is"
            );
        }
        return;
    }
    let Some(found) = found else {
        return;
    };
    assert_ne!(
        found,
        Value::Object(serde_json::Map::new()),
        "nothing malformed is empty"
    );
    // Written and read again, a number may change in its last bit.
    let json = found.to_string();
    let again = serde_json::from_str(&json).ok();
    assert_eq!(recover_relaxed_object(&json).map(Value::Object), again);
    let encoded = Value::from(json).to_string();
    assert_eq!(recover_relaxed_object(&encoded).map(Value::Object), again);
    if text.starts_with('{') {
        let wrapped = recover_relaxed_object(&format!("{{{text}}}")).map(Value::Object);
        assert!(
            wrapped.is_none_or(|wrapped| wrapped == found),
            "braces around it say nothing"
        );
    }
    // Whatever is given out was written there, but for the escapes.
    if !text.contains('\\') {
        assert_texts(&found, text);
    }
}

fn assert_texts(value: &Value, text: &str) {
    match value {
        Value::String(inner) => assert!(text.contains(inner.as_str()), "{inner:?} isn't in it"),
        Value::Array(items) => items.iter().for_each(|item| assert_texts(item, text)),
        Value::Object(object) => {
            for (key, value) in object {
                assert!(text.contains(key.as_str()), "{key:?} isn't in it");
                assert_texts(value, text);
            }
        }
        _ => {}
    }
}
