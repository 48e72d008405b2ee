//! Reading a schema beside the arguments it describes.

use serde_json::{Map, Value};

/// How deep a walk goes; arguments beyond it are refused by the validator anyway.
pub(super) const MAX_DEPTH: usize = 128;

/// The object form of a schema, local references followed.
pub(crate) fn resolve<'a>(
    root: &'a Value,
    mut schema: &'a Value,
) -> Option<&'a Map<String, Value>> {
    for _ in 0..MAX_DEPTH {
        let object = schema.as_object()?;
        match member(object, "$ref").and_then(Value::as_str) {
            None => return Some(object),
            Some(reference) => schema = root.pointer(reference.strip_prefix('#')?)?,
        }
    }
    None
}

/// The value under a key. Of a few keys, looking at each is quicker than hashing the one.
pub(crate) fn member<'a>(object: &'a Map<String, Value>, key: &str) -> Option<&'a Value> {
    const FEW: usize = 12;
    if object.len() > FEW {
        return object.get(key);
    }
    object
        .iter()
        .find_map(|(name, value)| (name == key).then_some(value))
}

/// The array under a keyword; empty without it.
pub(super) fn list<'a>(schema: &'a Map<String, Value>, keyword: &str) -> &'a [Value] {
    member(schema, keyword)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}
