//! Reading a schema beside the arguments it describes.

use serde_json::{Map, Value};

/// How deep a walk goes; arguments beyond it are refused by the validator anyway.
pub(super) const MAX_DEPTH: usize = 128;

/// The object form of a schema, local references followed.
pub(super) fn resolve<'a>(
    root: &'a Value,
    mut schema: &'a Value,
) -> Option<&'a Map<String, Value>> {
    for _ in 0..MAX_DEPTH {
        let object = schema.as_object()?;
        match object.get("$ref").and_then(Value::as_str) {
            None => return Some(object),
            Some(reference) => schema = root.pointer(reference.strip_prefix('#')?)?,
        }
    }
    None
}

/// The array under a keyword; empty without it.
pub(super) fn list<'a>(schema: &'a Map<String, Value>, keyword: &str) -> &'a [Value] {
    schema
        .get(keyword)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}
