//! Several schemas for one value, made one.

use serde_json::{Map, Value};

use super::references;
use crate::schema::shape::is_schema;

/// How deep combinations inside combinations are taken apart; what lies deeper counts as open.
const MAX_NESTED: usize = 8;

/// Adds to a schema what another one says about the same value. Of two rules for one thing the first stays, so that the
/// result refuses nothing that both accept.
pub(super) fn first_wins(schema: &mut Map<String, Value>, other: Map<String, Value>) {
    for (keyword, value) in other {
        match (schema.get_mut(&keyword), value) {
            (Some(Value::Object(known)), Value::Object(more)) if keyword == "properties" => {
                for (name, schema) in more {
                    known.entry(name).or_insert(schema);
                }
            }
            (Some(Value::Array(known)), Value::Array(more)) if keyword == "required" => {
                for name in more {
                    if !known.contains(&name) {
                        known.push(name);
                    }
                }
            }
            (Some(Value::Array(known)), Value::Array(more)) if keyword == "allOf" => {
                known.extend(more);
            }
            (Some(_), _) => {}
            (None, value) => {
                schema.insert(keyword, value);
            }
        }
    }
}

/// Takes `allOf` apart into the schema around it.
pub(super) fn merge_all_of(schema: &mut Map<String, Value>, definitions: &Map<String, Value>) {
    for _ in 0..MAX_NESTED {
        let Some(Value::Array(parts)) = schema.shift_remove("allOf") else {
            return;
        };
        for part in parts {
            if let Some(Value::Object(part)) = references::resolve(&part, definitions) {
                first_wins(schema, part.clone());
            }
        }
    }
    schema.shift_remove("allOf");
}

/// Takes a union of objects apart into the object around it: an argument of any branch becomes one of the object, and is
/// required where all branches require it.
pub(super) fn merge_union(
    schema: &mut Map<String, Value>,
    keyword: &str,
    definitions: &Map<String, Value>,
) {
    merge_nested_union(schema, keyword, definitions, MAX_NESTED);
}

fn merge_nested_union(
    schema: &mut Map<String, Value>,
    keyword: &str,
    definitions: &Map<String, Value>,
    depth: usize,
) {
    let Some(Value::Array(branches)) = schema.shift_remove(keyword) else {
        return;
    };
    let Some(depth) = depth.checked_sub(1) else {
        return;
    };
    let mut properties: Map<String, Value> = Map::new();
    let mut required: Option<Vec<Value>> = None;
    for branch in branches {
        let Some(Value::Object(branch)) = references::resolve(&branch, definitions) else {
            continue;
        };
        if branch.get("type").is_some_and(|ty| ty == "null") {
            continue;
        }
        let mut branch = branch.clone();
        merge_all_of(&mut branch, definitions);
        for keyword in ["anyOf", "oneOf"] {
            merge_nested_union(&mut branch, keyword, definitions, depth);
        }
        let names = match branch.shift_remove("required") {
            Some(Value::Array(names)) => names,
            _ => Vec::new(),
        };
        required = Some(match required {
            None => names,
            Some(known) => known
                .into_iter()
                .filter(|name| names.contains(name))
                .collect(),
        });
        if let Some(Value::Object(declared)) = branch.shift_remove("properties") {
            for (name, declared) in declared {
                add_alternative(&mut properties, name, declared);
            }
        }
    }
    let mut found = Map::new();
    if !properties.is_empty() {
        found.insert("properties".to_owned(), Value::Object(properties));
    }
    if let Some(required) = required.filter(|required| !required.is_empty()) {
        found.insert("required".to_owned(), Value::Array(required));
    }
    first_wins(schema, found);
}

/// The value of one property by one branch; of several that differ, any.
fn add_alternative(properties: &mut Map<String, Value>, name: String, schema: Value) {
    if !is_schema(&schema) {
        return;
    }
    match properties.get_mut(&name) {
        None => {
            properties.insert(name, schema);
        }
        Some(known) if *known == schema => {}
        Some(known) => {
            let Some(branches) = alternatives(known) else {
                let first = known.take();
                *known = serde_json::json!({ "anyOf": [first, schema] });
                return;
            };
            if !branches.contains(&schema) {
                branches.push(schema);
            }
        }
    }
}

/// The branches of a schema that says nothing else of its value.
fn alternatives(schema: &mut Value) -> Option<&mut Vec<Value>> {
    let schema = schema.as_object_mut()?;
    let says_more = |keyword: &String| keyword != "anyOf" && keyword != "description";
    if schema.keys().any(says_more) {
        return None;
    }
    schema.get_mut("anyOf")?.as_array_mut()
}
