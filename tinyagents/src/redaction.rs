//! Values that must not be repeated, and what stands in their place.

use serde_json::Value;

use crate::mask::Mask;
use crate::registry::RegisteredTool;

/// What stands in place of a value that must not be repeated.
pub(crate) const REDACTED: &str = "[redacted]";
/// Shorter values are looked for as words: they are part of almost every text.
const SHORTEST_PART: usize = 3;

/// The values of redacted arguments, to be removed from what an error says.
pub(crate) struct Redactor(Vec<String>);

impl Redactor {
    pub(crate) fn new(tool: &RegisteredTool, arguments: &Value) -> Self {
        let mut values = Vec::new();
        for name in &tool.policy().access.redact {
            if let Some(value) = arguments.get(name) {
                collect(value, &mut values);
            }
        }
        // A value that is part of another one goes after it, or the rest of the longer one would stay.
        values.sort_unstable_by(|left, right| (right.len(), right).cmp(&(left.len(), left)));
        values.dedup();
        Self(values)
    }

    #[cfg(test)]
    pub(crate) fn none() -> Self {
        Self(Vec::new())
    }

    /// Whether there is nothing to remove.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The text, without the values.
    pub(crate) fn apply(&self, text: String) -> String {
        let here: Vec<&str> = self
            .0
            .iter()
            .map(String::as_str)
            .filter(|value| text.contains(value))
            .collect();
        if here.is_empty() {
            return text;
        }
        let mut shown = String::with_capacity(text.len());
        let mut rest = text.as_str();
        let mut before = None;
        while let Some(first) = rest.chars().next() {
            let found = here.iter().find(|value| is_value_here(value, before, rest));
            let taken = if let Some(value) = found {
                shown.push_str(REDACTED);
                value.len()
            } else {
                shown.push(first);
                first.len_utf8()
            };
            before = rest[..taken].chars().next_back();
            rest = &rest[taken..];
        }
        shown
    }
}

impl Mask for Redactor {
    fn mask(&self) -> &str {
        REDACTED
    }

    fn text(&self, text: &mut String) {
        *text = self.apply(std::mem::take(text));
    }
}

/// Whether the text begins with the value; with a short one only where it is a word of its own.
fn is_value_here(value: &str, before: Option<char>, rest: &str) -> bool {
    let Some(after) = rest.strip_prefix(value) else {
        return false;
    };
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    value.len() >= SHORTEST_PART
        || !(before.is_some_and(is_word) || after.chars().next().is_some_and(is_word))
}

/// Every value in any form that an error may show it in: as it is, as `Debug`, JSON and addresses write it.
fn collect(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::String(text) if !text.is_empty() => {
            for quoted in [format!("{text:?}"), value.to_string()] {
                into.push(quoted[1..quoted.len() - 1].to_owned());
            }
            into.push(percent_encoded(text));
            into.push(text.clone());
        }
        Value::Number(number) => into.push(number.to_string()),
        Value::Array(items) => items.iter().for_each(|item| collect(item, into)),
        Value::Object(object) => object.values().for_each(|value| collect(value, into)),
        _ => {}
    }
}

/// The text as part of an address (RFC 3986: all but the unreserved characters).
fn percent_encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push('%');
            for half in [byte >> 4, byte & 15] {
                let digit = char::from_digit(u32::from(half), 16).unwrap_or_default();
                encoded.push(digit.to_ascii_uppercase());
            }
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn redacted(secret: &Value, text: &str) -> String {
        let mut values = Vec::new();
        collect(secret, &mut values);
        values.sort_unstable_by_key(|value| std::cmp::Reverse(value.len()));
        Redactor(values).apply(text.to_owned())
    }

    #[test]
    fn a_value_goes_in_its_escaped_forms_too() {
        let secret = "a\"b\n\u{7f}c";
        let json = json!(secret);
        for (text, shown) in [
            (secret.to_owned(), "[redacted]"),
            (format!("{secret:?}"), "\"[redacted]\""),
            (json.to_string(), "\"[redacted]\""),
            ("q=a%22b%0A%7Fc".to_owned(), "q=[redacted]"),
        ] {
            assert_eq!(redacted(&json, &text), shown);
        }
    }

    #[test]
    fn a_short_value_goes_where_it_is_a_word() {
        assert_eq!(
            redacted(
                &json!({ "pin": 7, "code": "ab" }),
                "7 is no pin, 17 is, ab isn't a tab"
            ),
            "[redacted] is no pin, 17 is, [redacted] isn't a tab"
        );
    }

    #[test]
    fn what_stands_in_place_of_a_value_is_left_alone() {
        assert_eq!(
            redacted(&json!(["redacted", "act"]), "redacted act"),
            "[redacted] [redacted]"
        );
        assert_eq!(redacted(&json!(["abc", "abcdef"]), "abcdef"), "[redacted]");
    }
}
