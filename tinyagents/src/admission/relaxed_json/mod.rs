//! Arguments that are almost JSON, brought back to what they say.
//!
//! Models and the gateways in front of them produce objects that a JSON parser refuses although there is one way to read
//! them. [`recover_relaxed_object`] rewrites these into JSON and reads that; it doesn't complete, choose or guess.

mod quoted;
mod rewrite;
mod wrapping;

use serde_json::{Map, Value};

pub(super) use self::wrapping::without_fences;
use self::wrapping::{Peeled, peel};
use crate::model::strict_json;

/// How many times an object may be written as a string of a string.
const MAX_ENCODINGS: usize = 3;

/// Reads an object from a text that is JSON or can become it without changing what it says.
///
/// What is mended, alone or together:
/// - keys without quotes: `{city: "Oslo"}`;
/// - texts between single quotes or leaked quote tokens of a chat template: `'Oslo'`, `<|"|>Oslo<|"|>`, `<|">Oslo<|">`;
/// - `True`, `False` and `None`; numbers such as `.5` and `+5`;
/// - a comma before a closing bracket; comments `/* … */` and `// …`; white space that JSON doesn't know;
/// - raw control characters in a text, a backslash that begins no escape (`"\d+"`), an escaped apostrophe;
/// - redundant braces around the object: `{{"city": "Oslo"}}`;
/// - a Markdown fence around it; an empty object before it; one closing bracket too many, or tags of a chat template such
///   as `<|call|>` and `</tool_call>`, after it;
/// - the object written as a string, or with every quote escaped: `"{\"city\": \"Oslo\"}"`, `{\"city\": \"Oslo\"}`.
///
/// What is not: a text that ends too early, two objects, prose, missing quotes, commas or brackets, words without quotes,
/// `NaN`, a key that is there twice, a number beyond the range of an `f64`, and whatever could be read in two ways, such
/// as `"C:\new\data"`, where only one of the backslashes begins an escape. A malformed text never becomes an empty
/// object. Objects may nest 127 levels deep. The cost is linear in the length of the text.
///
/// ```
/// use tinyagents::relaxed_json::recover_relaxed_object;
///
/// let arguments = recover_relaxed_object("{{city: 'Oslo', days: 3,}}").unwrap();
/// assert_eq!(serde_json::to_string(&arguments).unwrap(), r#"{"city":"Oslo","days":3}"#);
///
/// assert_eq!(recover_relaxed_object(r#"{"city": "Os"#), None);
/// ```
#[must_use]
pub fn recover_relaxed_object(text: &str) -> Option<Map<String, Value>> {
    if let Ok(Value::Object(object)) = strict_json::parse(text) {
        return Some(object);
    }
    match strict_json::parse(&repaired(text)?) {
        Ok(Value::Object(object)) if !object.is_empty() => Some(object),
        _ => None,
    }
}

/// The object in the text as JSON, or as something that a JSON parser refuses.
fn repaired(text: &str) -> Option<String> {
    let mut peeled = peel(text)?;
    for _ in 0..MAX_ENCODINGS {
        match peeled {
            Peeled::Object(object) => return Some(object),
            Peeled::Encoded(inner) => peeled = peel(&inner)?,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Texts in which the characters that matter are frequent.
    fn debris() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            4 => prop::sample::select(vec![
                "{", "}", "[", "]", ",", ":", "\"", "'", "\\", " ", "\n", "/*", "*/", "//", "```", "<|\"|>", "<|\">", "{}",
                "a", "\"a\":", "b:", "1", ".5", "+1", "1e999", "true", "None", "<|call|>", "</s>", "\\\"", "\\n", "\\d", "\u{a0}",
            ]).prop_map(str::to_owned),
            1 => any::<char>().prop_map(String::from),
        ];
        prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1024))]

        #[test]
        fn what_is_recovered_is_what_a_json_parser_reads_in_the_repaired_text(text in debris()) {
            if let Some(object) = recover_relaxed_object(&text) {
                let json = if strict_json::parse(&text).is_ok_and(|value| value.is_object()) {
                    text
                } else {
                    repaired(&text).unwrap_or_default()
                };
                let read: Value = serde_json::from_str(&json).unwrap();
                prop_assert_eq!(read, Value::Object(object));
            }
        }

        #[test]
        fn an_object_in_braces_of_debris_is_mended_or_refused(text in debris()) {
            let text = format!("{{a: {text}, \"b\": 1}}");
            if let Some(object) = recover_relaxed_object(&text) {
                prop_assert!(object.contains_key("a"));
            }
        }
    }
}
