//! What must hold of any arguments text: it is read as `serde_json` reads it, unless some object has a key twice.

use std::collections::HashSet;

use serde_json::{Map, Value};
use tinyagents::ToolCall;

/// Reads a text as arguments and compares.
pub fn check(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let call = ToolCall::from_text("c1", "t", text);
    let loose = serde_json::from_str::<Value>(text);
    let Some(reason) = &call.invalid else {
        match loose {
            Ok(Value::Null) => assert_eq!(call.arguments, Value::Object(Map::new())),
            Ok(value) => {
                assert_eq!(call.arguments, value);
                assert!(!has_a_key_twice(text), "which one counts in {text:?}?");
            }
            Err(_) => assert!(text.trim().is_empty(), "{text:?} is no JSON"),
        }
        return;
    };
    assert_eq!(call.arguments, Value::String(text.to_owned()));
    let is_wrong = loose.is_err() || has_a_key_twice(text);
    assert!(is_wrong, "{text:?} is refused: {reason}");
}

/// Whether some object of a valid JSON text has a key twice; told by the text's strings and brackets alone.
fn has_a_key_twice(text: &str) -> bool {
    let mut open: Vec<HashSet<String>> = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let mut length = first.len_utf8();
        match first {
            '{' | '[' => open.push(HashSet::new()),
            '}' | ']' => {
                open.pop();
            }
            '"' => {
                length = string_length(rest);
                let is_key = rest[length..].trim_start().starts_with(':');
                let key = serde_json::from_str(&rest[..length]);
                if let (true, Ok(key), Some(keys)) = (is_key, key, open.last_mut())
                    && !keys.insert(key)
                {
                    return true;
                }
            }
            _ => {}
        }
        rest = &rest[length..];
    }
    false
}

/// Bytes of the string that comes next, quotes included.
fn string_length(rest: &str) -> usize {
    let mut is_escaped = false;
    for (place, byte) in rest.bytes().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return place + 1,
            _ => {}
        }
    }
    rest.len()
}
