//! What is malformed, made well-formed or left out: draft 2020-12 from older drafts and from other type systems.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::limits::MAX_DEPTH;
use super::{Gathered, types};
use crate::schema::children;
use crate::schema::shape::{fault, is_schema};

/// Repairs the root and every definition.
pub(super) fn repair(gathered: &mut Gathered) {
    repair_map(&mut gathered.root, MAX_DEPTH);
    for definition in gathered.definitions.values_mut() {
        repair_schema(definition, MAX_DEPTH);
    }
}

fn repair_schema(schema: &mut Value, depth: usize) {
    match schema {
        Value::Bool(_) => {}
        Value::Object(map) => repair_map(map, depth),
        _ => *schema = json!({}),
    }
}

fn repair_map(schema: &mut Map<String, Value>, depth: usize) {
    let Some(depth) = depth.checked_sub(1) else {
        schema.clear();
        return;
    };
    repair_type(schema);
    repair_tuple(schema);
    repair_exclusive(schema, "exclusiveMinimum", "minimum");
    repair_exclusive(schema, "exclusiveMaximum", "maximum");
    for keyword in ["required", "enum"] {
        if let Some(Value::Array(values)) = schema.get_mut(keyword) {
            keep_different(values, keyword == "required");
        }
    }
    children::for_each_mut(schema, |_, schema| repair_schema(schema, depth));
    // A list of names under `required` is nothing without names, and draft 4 wants one.
    schema.retain(|keyword, value| fault(keyword, value).is_none());
    if schema
        .get("additionalProperties")
        .is_some_and(|value| !is_schema(value))
    {
        schema.shift_remove("additionalProperties");
    }
}

/// Names of types as other languages and dialects write them; unknown ones say nothing.
fn repair_type(schema: &mut Map<String, Value>) {
    let Some(written) = schema.get("type") else {
        return;
    };
    let names: Option<Vec<&'static str>> = match written {
        Value::String(name) => types::json_name(name).map(|name| vec![name]),
        Value::Array(names) => names
            .iter()
            .map(|name| name.as_str().and_then(types::json_name))
            .collect(),
        _ => None,
    };
    match types::written(&names.unwrap_or_default()) {
        Some(names) => schema.insert("type".to_owned(), names),
        None => schema.shift_remove("type"),
    };
}

/// `items` as a list is what `prefixItems` is now, and `additionalItems` what `items` is.
fn repair_tuple(schema: &mut Map<String, Value>) {
    if !schema.get("items").is_some_and(Value::is_array) {
        schema.shift_remove("additionalItems");
        return;
    }
    if let Some(prefix) = schema.shift_remove("items") {
        schema.insert("prefixItems".to_owned(), prefix);
    }
    if let Some(rest) = schema.shift_remove("additionalItems") {
        schema.insert("items".to_owned(), rest);
    }
}

/// Draft 4 wrote the bound as `minimum` and said by `true` that it is excluded.
fn repair_exclusive(schema: &mut Map<String, Value>, exclusive: &str, inclusive: &str) {
    if schema.get(exclusive) == Some(&Value::Bool(true))
        && schema.get(inclusive).is_some_and(Value::is_number)
        && let Some(bound) = schema.shift_remove(inclusive)
    {
        schema.insert(exclusive.to_owned(), bound);
    }
}

fn keep_different(values: &mut Vec<Value>, only_texts: bool) {
    let mut seen = HashSet::new();
    values.retain(|value| (value.is_string() || !only_texts) && seen.insert(value.to_string()));
}
