//! What goes first, and what goes last.

use serde_json::{Map, Value};

use super::opened;
use super::walk::walk;
use crate::clip::clip_bytes;

/// One step of the ladder.
pub(super) struct Rung {
    pub(super) take: fn(&mut Value),
    /// Whether it leaves objects whose properties are not declared.
    pub(super) opens: bool,
}

/// The least valuable first. Each is done once, and doing it twice would change nothing.
pub(super) const RUNGS: [Rung; 17] = [
    keeps(drop_annotations),
    keeps(|schema| clip_words(schema, 2, 120)),
    keeps(|schema| clip_words(schema, 1, 240)),
    keeps(|schema| clip_words(schema, 2, 0)),
    keeps(|schema| clip_words(schema, 1, 120)),
    keeps(|schema| drop_rules(schema, 2)),
    opens(|schema| open_from(schema, 4)),
    opens(|schema| open_from(schema, 3)),
    keeps(|schema| shorten_lists(schema, 24)),
    keeps(|schema| clip_words(schema, 1, 60)),
    opens(|schema| open_from(schema, 2)),
    keeps(|schema| drop_rules(schema, 1)),
    keeps(|schema| shorten_lists(schema, 8)),
    keeps(|schema| clip_words(schema, 1, 0)),
    opens(|schema| open_from(schema, 1)),
    keeps(|schema| shorten_lists(schema, 0)),
    opens(keep_arguments),
];

const fn keeps(take: fn(&mut Value)) -> Rung {
    Rung { take, opens: false }
}

const fn opens(take: fn(&mut Value)) -> Rung {
    Rung { take, opens: true }
}

/// Keywords that say nothing that a model needs for a call.
const ANNOTATIONS: [&str; 8] = [
    "title",
    "$comment",
    "examples",
    "example",
    "deprecated",
    "readOnly",
    "writeOnly",
    "propertyOrdering",
];

/// Keywords without which a model still knows what to send; the declared schema goes on checking them.
const RULES: [&str; 19] = [
    "default",
    "format",
    "pattern",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "patternProperties",
    "propertyNames",
    "dependentRequired",
    "dependentSchemas",
];

/// Keywords of the root that a list of arguments can do without.
const ROOT_ONLY: [&str; 4] = ["type", "properties", "required", "additionalProperties"];

fn drop_annotations(schema: &mut Value) {
    walk(schema, |schema, _| {
        schema.retain(|keyword, _| !ANNOTATIONS.contains(&keyword.as_str()));
    });
}

/// Cuts the words about values at least so far from the root; the root's own with those of the arguments.
fn clip_words(schema: &mut Value, from: usize, most: usize) {
    walk(schema, |schema, distance| {
        if distance.max(1) < from {
            return;
        }
        match schema.get_mut("description") {
            Some(Value::String(words)) if most > 0 => *words = clip_bytes(words, most),
            Some(_) => {
                schema.shift_remove("description");
            }
            None => {}
        }
    });
}

fn drop_rules(schema: &mut Value, from: usize) {
    walk(schema, |schema, distance| {
        if distance >= from {
            schema.retain(|keyword, _| !RULES.contains(&keyword.as_str()));
        }
    });
}

/// Leaves nothing but the type of what is so far from the root.
fn open_from(schema: &mut Value, from: usize) {
    walk(schema, |schema, distance| {
        let has_structure = [
            "properties",
            "items",
            "prefixItems",
            "anyOf",
            "oneOf",
            "allOf",
            "$ref",
        ]
        .iter()
        .any(|keyword| schema.contains_key(*keyword));
        if distance == from && has_structure {
            opened::open(schema);
        }
    });
}

/// Drops lists of more values than that.
fn shorten_lists(schema: &mut Value, most: usize) {
    walk(schema, |schema, _| {
        let is_long = schema
            .get("enum")
            .and_then(Value::as_array)
            .is_some_and(|values| values.len() > most);
        let has_type = schema.contains_key("type") || schema.contains_key("anyOf");
        if is_long && has_type {
            schema.shift_remove("enum");
        }
    });
}

/// The arguments and their types, and nothing else.
fn keep_arguments(schema: &mut Value) {
    let Value::Object(root) = schema else { return };
    root.retain(|keyword, _| ROOT_ONLY.contains(&keyword.as_str()));
    if root
        .get("additionalProperties")
        .is_some_and(Value::is_object)
    {
        root.shift_remove("additionalProperties");
    }
    if let Some(Value::Object(arguments)) = root.get_mut("properties") {
        for argument in arguments.values_mut() {
            let ty = argument.get("type").cloned();
            let items = argument.get("items").cloned();
            let mut left = Map::new();
            left.extend(ty.map(|ty| ("type".to_owned(), ty)));
            left.extend(items.map(|items| ("items".to_owned(), items)));
            *argument = Value::Object(left);
        }
    }
}
