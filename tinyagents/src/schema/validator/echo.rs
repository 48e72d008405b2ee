//! What was found, in a few characters.

use serde_json::Value;

use super::{clip::clip, types::kind};

/// Longest repeated text or number, in characters.
const MAX_CHARS: usize = 40;

/// A short form of a value: a scalar as JSON, a container by its size.
pub(super) fn echo(value: &Value) -> String {
    match value {
        Value::String(text) => quote(text),
        Value::Array(items) => sized("an array", items.len(), "item"),
        Value::Object(map) => sized("an object", map.len(), "property"),
        Value::Number(number) => match number.as_i64() {
            // Much faster than the general way.
            Some(int) => int.to_string(),
            None => clip(&number.to_string(), MAX_CHARS).into_owned(),
        },
        Value::Bool(true) => "true".to_owned(),
        Value::Bool(false) => "false".to_owned(),
        Value::Null => "null".to_owned(),
    }
}

/// Like [`echo`], but says of a text that it is one: the reader expects something else.
pub(super) fn echo_with_kind(value: &Value) -> String {
    match value {
        Value::String(text) => quote_after("the string ", text),
        Value::Null | Value::Bool(_) | Value::Number(_) => echo(value),
        Value::Array(_) | Value::Object(_) => kind(value).to_owned(),
    }
}

/// A text in quotes, escaped, on one line.
pub(super) fn quote(text: &str) -> String {
    quote_after("", text)
}

/// Some words, then a text in quotes.
pub(super) fn quote_after(words: &str, text: &str) -> String {
    let is_plain = |byte: u8| (b' '..=b'~').contains(&byte) && byte != b'"' && byte != b'\\';
    if text.len() <= MAX_CHARS - 2 && text.bytes().all(is_plain) {
        return [words, "\"", text, "\""].concat();
    }
    // Cut first: the text may be long.
    let escaped = Value::from(clip(text, MAX_CHARS - 2).as_ref()).to_string();
    [words, &clip(&escaped, MAX_CHARS)].concat()
}

/// A number of things: `1 item`, `2 items`, `2 properties`.
pub(super) fn count(number: usize, noun: &str) -> String {
    let number = number.to_string();
    match (number.as_str(), noun.strip_suffix('y')) {
        ("1", _) => ["1 ", noun].concat(),
        (number, Some(stem)) => [number, " ", stem, "ies"].concat(),
        (number, None) => [number, " ", noun, "s"].concat(),
    }
}

fn sized(kind: &str, size: usize, noun: &str) -> String {
    match size {
        0 => format!("{kind} without {}", count(0, noun).trim_start_matches("0 ")),
        _ => format!("{kind} of {}", count(size, noun)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_short() {
        assert_eq!(echo(&json!("a\nb")), r#""a\nb""#);
        assert_eq!(echo(&json!([1, 2])), "an array of 2 items");
        assert_eq!(echo(&json!({})), "an object without properties");
        assert_eq!(echo(&json!({ "a": 1 })), "an object of 1 property");
        assert_eq!(echo(&json!(null)), "null");
        assert_eq!(echo_with_kind(&json!("5")), r#"the string "5""#);
        for text in ["x".repeat(5000), "\u{1}".repeat(5000), "ß".repeat(5000)] {
            assert!(echo(&json!(text)).chars().count() <= MAX_CHARS);
        }
    }
}
