//! Reading JSON whose shape is only roughly known.

use serde_json::{Map, Value};

/// An id or a code: text, or a number in its place.
pub(super) fn as_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Adds a further piece of a field: text and arrays grow, anything else is replaced.
pub(super) fn grow(fields: &mut Map<String, Value>, key: &str, piece: &Value) {
    match (fields.get_mut(key), piece) {
        (_, Value::Null) => {}
        (Some(Value::String(text)), Value::String(more)) => text.push_str(more),
        (Some(Value::Array(items)), Value::Array(more)) => items.extend(more.iter().cloned()),
        (Some(known), piece) => *known = piece.clone(),
        (None, piece) => {
            fields.insert(key.to_owned(), piece.clone());
        }
    }
}
