//! Values as models write them in text: JSON, and the spellings of Python and JavaScript.
//!
//! Other than [`relaxed_json`](crate::relaxed_json), which mends what should have been JSON and refuses what can be read in
//! two ways, this reads languages by their own rules.

mod quoted;
mod reader;

use serde_json::{Map, Value};

use crate::model::strict_json;

pub(super) use reader::Reader;

/// Reads a value that fills the text, as strict JSON or in a spelling of Python or JavaScript.
///
/// Single quotes, `True`, `None`, bare keys, trailing commas and raw line breaks in strings are read; a key that is there
/// twice, a number without a finite value and anything left over are refused.
pub(super) fn read(text: &str) -> Result<Value, String> {
    let strict = match strict_json::parse(text) {
        Ok(value) => return Ok(value),
        Err(error) => error,
    };
    let mut reader = Reader::new(text);
    let value = reader.value()?;
    reader.skip_space();
    if reader.is_at_end() {
        Ok(value)
    } else {
        Err(strict.to_string())
    }
}

/// Adds an entry; the same key twice is refused, since readers would differ on which one counts.
pub(super) fn insert_once(
    object: &mut Map<String, Value>,
    key: String,
    value: Value,
) -> Result<(), String> {
    if object.contains_key(&key) {
        return Err(format!("the key `{key}` is there twice; give it once"));
    }
    object.insert(key, value);
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn spellings_of_python_and_javascript_are_read() {
        for (text, value) in [
            ("{'a': True, 'b': None}", json!({ "a": true, "b": null })),
            ("{a: [1, 2,], b_c: 'x'}", json!({ "a": [1, 2], "b_c": "x" })),
            ("('x', 1.5)", json!(["x", 1.5])),
            ("'it\\'s'", json!("it's")),
            ("'''a 'b' \"c\"'''", json!("a 'b' \"c\"")),
            ("'\\ud83c\\udf89 \\x41 \\d'", json!("🎉 A \\d")),
            ("\"two\nlines\"", json!("two\nlines")),
        ] {
            assert_eq!(read(text).as_ref(), Ok(&value), "{text}");
        }
    }

    #[test]
    fn nothing_is_guessed() {
        for text in [
            "{'a': 1, 'a': 2}",
            "1e999",
            "[1",
            "'open",
            "b'z'",
            "{a: }",
            "'x' 'y'",
            "NaN",
            "01",
            "'\\ud800'",
            "",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn deep_nesting_is_refused_and_does_not_overflow() {
        assert!(read(&"[".repeat(1_000_000)).is_err());
        let deep = format!("{}'x'{}", "[".repeat(200), "]".repeat(200));
        assert!(read(&deep).unwrap_err().contains("127"));
    }
}
