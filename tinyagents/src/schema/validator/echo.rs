//! What was found, in a few characters.

use serde_json::Value;
use smol_str::{SmolStr, SmolStrBuilder, ToSmolStr as _};

use super::{clip::clip, types::kind};

/// Longest repeated text or number, in characters.
const MAX_CHARS: usize = 40;

/// A short form of a value: a scalar as JSON, a container by its size.
pub(super) fn echo(value: &Value) -> SmolStr {
    match value {
        Value::String(text) => quote(text),
        Value::Array(items) => sized("an array", items.len(), "item"),
        Value::Object(map) => sized("an object", map.len(), "property"),
        Value::Number(number) => match number.as_i64() {
            // Much faster than the general way.
            Some(int) => int.to_smolstr(),
            None => clip(&number.to_string(), MAX_CHARS).into(),
        },
        Value::Bool(true) => SmolStr::new_static("true"),
        Value::Bool(false) => SmolStr::new_static("false"),
        Value::Null => SmolStr::new_static("null"),
    }
}

/// Like [`echo`], but says of a text that it is one: the reader expects something else.
pub(super) fn echo_with_kind(value: &Value) -> SmolStr {
    match value {
        Value::String(text) => quote_after("the string ", text),
        Value::Null | Value::Bool(_) | Value::Number(_) => echo(value),
        Value::Array(_) | Value::Object(_) => SmolStr::new_static(kind(value)),
    }
}

/// A text in quotes, escaped, on one line.
pub(super) fn quote(text: &str) -> SmolStr {
    quote_after("", text)
}

/// Some words, then a text in quotes.
pub(super) fn quote_after(words: &str, text: &str) -> SmolStr {
    let is_plain = |byte: u8| (b' '..=b'~').contains(&byte) && byte != b'"' && byte != b'\\';
    if text.len() <= MAX_CHARS - 2 && text.bytes().all(is_plain) {
        return join(&[words, "\"", text, "\""]);
    }
    // Cut first: the text may be long.
    let escaped = Value::from(clip(text, MAX_CHARS - 2).as_ref()).to_string();
    join(&[words, &clip(&escaped, MAX_CHARS)])
}

/// Several texts as one.
pub(super) fn join(parts: &[&str]) -> SmolStr {
    let mut text = SmolStrBuilder::new();
    for part in parts {
        text.push_str(part);
    }
    text.finish()
}

/// A number of things: `1 item`, `2 items`, `2 properties`.
pub(super) fn count(number: usize, noun: &str) -> SmolStr {
    let number = number.to_smolstr();
    match (number.as_str(), noun.strip_suffix('y')) {
        ("1", _) => join(&["1 ", noun]),
        (number, Some(stem)) => join(&[number, " ", stem, "ies"]),
        (number, None) => join(&[number, " ", noun, "s"]),
    }
}

fn sized(kind: &str, size: usize, noun: &str) -> SmolStr {
    match size {
        0 => join(&[kind, " without ", count(0, noun).trim_start_matches("0 ")]),
        _ => join(&[kind, " of ", &count(size, noun)]),
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
