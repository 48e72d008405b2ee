//! The properties of an object, those of the schemas that it is put together from included.

use std::collections::{BTreeSet, HashSet};

use serde_json::{Map, Value};

use super::kinds::resolve;
use crate::admission::member;

/// How many references and alternatives are followed.
const MAX_DEPTH: usize = 8;

/// The keywords of what an object is put together from.
const PARTS: [&str; 3] = ["allOf", "anyOf", "oneOf"];

/// How many schemas are asked for what they require.
const MAX_ASKED: usize = 256;

/// One property.
#[derive(Debug, PartialEq)]
pub(super) struct Property<'a> {
    pub(super) name: &'a str,
    /// What is said of it: by the object itself, by what all of it is, and by the alternatives.
    pub(super) schemas: Vec<&'a Value>,
    /// Whether it has to be there, whichever alternative is chosen.
    pub(super) is_required: bool,
}

/// All properties, in the order of their declaration, each once.
pub(super) fn properties<'a>(root: &'a Value, object: &'a Map<String, Value>) -> Vec<Property<'a>> {
    let mut found = Vec::new();
    gather(root, object, MAX_DEPTH, &mut HashSet::new(), &mut found);
    let mut left = MAX_ASKED;
    let required = required(root, object, MAX_DEPTH, &mut left);
    for property in &mut found {
        property.is_required = required.contains(property.name);
    }
    found
}

/// The names of all properties, in the same order.
pub(super) fn names<'a>(root: &'a Value, object: &'a Map<String, Value>) -> Vec<&'a str> {
    if PARTS
        .iter()
        .all(|keyword| member(object, keyword).is_none())
    {
        let own = member(object, "properties").and_then(Value::as_object);
        return own
            .into_iter()
            .flat_map(Map::keys)
            .map(String::as_str)
            .collect();
    }
    let mut found = Vec::new();
    gather(root, object, MAX_DEPTH, &mut HashSet::new(), &mut found);
    found.into_iter().map(|property| property.name).collect()
}

/// `seen` is what was read already: references to references multiply.
fn gather<'a>(
    root: &'a Value,
    object: &'a Map<String, Value>,
    depth: usize,
    seen: &mut HashSet<*const Map<String, Value>>,
    found: &mut Vec<Property<'a>>,
) {
    let Some(depth) = depth.checked_sub(1) else {
        return;
    };
    let own = member(object, "properties").and_then(Value::as_object);
    let before = found.len();
    for (name, schema) in own.into_iter().flatten() {
        match found[..before].iter_mut().find(|one| one.name == name) {
            Some(known) => known.schemas.push(schema),
            None => found.push(Property {
                name,
                schemas: vec![schema],
                is_required: false,
            }),
        }
    }
    for keyword in PARTS {
        for part in parts(root, object, keyword) {
            if seen.insert(part) {
                gather(root, part, depth, seen, found);
            }
        }
    }
}

/// What is required by the object, by all that it is, and by each of its alternatives.
fn required<'a>(
    root: &'a Value,
    object: &'a Map<String, Value>,
    depth: usize,
    left: &mut usize,
) -> BTreeSet<&'a str> {
    let (Some(depth), Some(fewer)) = (depth.checked_sub(1), left.checked_sub(1)) else {
        return BTreeSet::new();
    };
    *left = fewer;
    let own = member(object, "required").and_then(Value::as_array);
    let mut all: BTreeSet<&str> = own
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    for part in parts(root, object, "allOf") {
        all.extend(required(root, part, depth, left));
    }
    for keyword in ["anyOf", "oneOf"] {
        let of_each = parts(root, object, keyword).map(|part| required(root, part, depth, left));
        all.extend(
            of_each
                .reduce(|some, others| &some & &others)
                .unwrap_or_default(),
        );
    }
    all
}

fn parts<'a>(
    root: &'a Value,
    object: &'a Map<String, Value>,
    keyword: &str,
) -> impl Iterator<Item = &'a Map<String, Value>> {
    let parts = member(object, keyword).and_then(Value::as_array);
    parts
        .into_iter()
        .flatten()
        .filter_map(move |part| resolve(root, part))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(schema: &Value) -> Vec<(String, usize, bool)> {
        properties(schema, schema.as_object().unwrap())
            .into_iter()
            .map(|one| (one.name.to_owned(), one.schemas.len(), one.is_required))
            .collect()
    }

    fn one(name: &str, schemas: usize, is_required: bool) -> (String, usize, bool) {
        (name.to_owned(), schemas, is_required)
    }

    #[test]
    fn alternatives_and_parts_are_read_in_order() {
        let schema = json!({
            "properties": { "a": {} },
            "required": ["q"],
            "allOf": [{ "$ref": "#/$defs/q" }],
            "oneOf": [
                { "properties": { "kind": { "const": "x" }, "x": {} }, "required": ["kind", "x"] },
                { "properties": { "kind": { "const": "y" } }, "required": ["kind"] }
            ],
            "$defs": { "q": { "properties": { "q": {}, "r": {} }, "required": ["r"] } }
        });
        let expected = [
            one("a", 1, false),
            one("q", 1, true),
            one("r", 1, true),
            one("kind", 2, true),
            one("x", 1, false),
        ];
        assert_eq!(read(&schema), expected);
        let object = schema.as_object().unwrap();
        assert_eq!(names(&schema, object), ["a", "q", "r", "kind", "x"]);
        let own = json!({ "properties": { "b": {}, "a": {} } });
        assert_eq!(names(&own, own.as_object().unwrap()), ["b", "a"]);
    }

    #[test]
    fn references_to_references_are_read_once() {
        let step = |next: String| json!({ "anyOf": vec![json!({ "$ref": next }); 20] });
        let mut schema = json!({ "$defs": { "n9": { "properties": { "a": {} } } } });
        for number in 0..9 {
            schema["$defs"][format!("n{number}")] = step(format!("#/$defs/n{}", number + 1));
        }
        schema["anyOf"] = json!([{ "$ref": "#/$defs/n3" }]);
        assert_eq!(read(&schema), [one("a", 1, false)]);
        assert!(crate::dialect::kinds::Kinds::of(&schema, &schema["$defs"]["n0"]).is_unknown());
    }

    #[test]
    fn loops_end() {
        let schema = json!({ "properties": { "a": {} }, "allOf": [{ "$ref": "#" }] });
        assert_eq!(read(&schema)[0].0, "a");
        assert_eq!(read(&json!({ "type": "object" })), []);
    }
}
