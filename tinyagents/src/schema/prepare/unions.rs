//! `anyOf`, `oneOf` and lists of types.

use serde_json::{Map, Value, json};

use super::{hints, merge, types};
use crate::schema::rules::Rules;

/// Makes one `anyOf` of what there is, or none, where an object of its own or a plain type already says enough.
pub(super) fn settle(
    schema: &mut Map<String, Value>,
    rules: &Rules,
    definitions: &Map<String, Value>,
) {
    if let Some(branches) = schema.shift_remove("oneOf")
        && !schema.contains_key("anyOf")
    {
        schema.insert("anyOf".to_owned(), branches);
    }
    let Some(Value::Array(branches)) = schema.get("anyOf") else {
        return;
    };
    let is_typed = |branch: &Value| {
        ["type", "$ref", "anyOf", "oneOf", "allOf", "enum", "const"]
            .iter()
            .any(|keyword| branch.get(keyword).is_some())
            || branch.get("properties").is_some()
    };
    let are_typed = branches.iter().all(is_typed);
    let own_type = types::names(schema);
    if schema.contains_key("properties") || (own_type == ["object"] && !are_typed) {
        merge::merge_union(schema, "anyOf", definitions);
        return;
    }
    let own_type = schema.get("type").cloned();
    if !are_typed && (own_type.is_some() || types::implied(schema).is_some()) {
        // The branches only narrow a type that is known.
        schema.shift_remove("anyOf");
        return;
    }
    // The type belongs to the branches, beside which nothing may stand.
    schema.shift_remove("type");
    if let (Some(ty), Some(Value::Array(branches))) = (own_type, schema.get_mut("anyOf")) {
        for branch in branches.iter_mut() {
            if let Value::Object(branch) = branch
                && !["type", "$ref", "anyOf", "oneOf", "allOf", "enum", "const"]
                    .iter()
                    .any(|keyword| branch.contains_key(*keyword))
            {
                branch.insert("type".to_owned(), ty.clone());
            }
        }
    }
    if let Some(Value::Array(branches)) = schema.get_mut("anyOf") {
        branches.retain(|branch| *branch != Value::Bool(false));
        if branches.is_empty() {
            schema.shift_remove("anyOf");
            schema.insert("type".to_owned(), json!("null"));
        }
    }
    // A nullable union is one with a branch of its own for `null`.
    if schema.shift_remove("nullable") == Some(Value::Bool(true))
        && rules.nullable
        && let Some(Value::Array(branches)) = schema.get_mut("anyOf")
    {
        branches.push(json!({ "type": "null" }));
    }
}

/// A list of types as a union of them, each with the keywords that are about it.
pub(super) fn split_types(schema: &mut Map<String, Value>, rules: &Rules) {
    let mut names: Vec<String> = types::names(schema)
        .into_iter()
        .map(str::to_owned)
        .collect();
    if rules.nullable && names.len() == 2 && names.iter().any(|name| name == "null") {
        names.retain(|name| name != "null");
        schema.insert("type".to_owned(), json!(names[0]));
        schema.insert("nullable".to_owned(), json!(true));
        return;
    }
    schema.shift_remove("type");
    let mut branches = Vec::with_capacity(names.len());
    for name in names {
        // `number` says what `integer` says.
        let mut branch = Map::new();
        branch.insert("type".to_owned(), json!(name));
        for keyword in types::keywords(&name) {
            if let Some(value) = schema.shift_remove(*keyword) {
                branch.insert((*keyword).to_owned(), value);
            }
        }
        branches.push(Value::Object(branch));
    }
    schema.insert("anyOf".to_owned(), Value::Array(branches));
}

/// A union whose branches are fitted: no branch twice, none inside another, `null` as the provider writes it.
pub(super) fn finished(mut schema: Map<String, Value>, rules: &Rules) -> Value {
    let mut branches: Vec<Value> = Vec::new();
    if let Some(Value::Array(fitted)) = schema.shift_remove("anyOf") {
        for branch in fitted {
            match branch {
                Value::Object(mut inner)
                    if inner.contains_key("anyOf")
                        && inner
                            .keys()
                            .all(|keyword| keyword == "anyOf" || keyword == "description") =>
                {
                    if let Some(Value::Array(inner)) = inner.shift_remove("anyOf") {
                        for branch in inner {
                            add(&mut branches, branch);
                        }
                    }
                }
                branch => add(&mut branches, branch),
            }
        }
    }
    if rules.nullable {
        let before = branches.len();
        branches.retain(|branch| *branch != json!({ "type": "null" }));
        let has_null = before != branches.len();
        if branches.is_empty() {
            branches.push(json!({ "type": "null" }));
        } else if has_null && let Some(Value::Object(first)) = branches.first_mut() {
            first.insert("nullable".to_owned(), json!(true));
        }
    }
    let description = schema.get("description").and_then(Value::as_str);
    if branches.len() == 1
        && let Some(Value::Object(mut only)) = branches.pop()
    {
        // A bare reference stays alone, even without its words.
        if let (Some(words), false) = (description, only.contains_key("$ref")) {
            hints::describe(&mut only, words);
        }
        return Value::Object(only);
    }
    let mut union = Map::new();
    if let Some(words) = description {
        if !rules.lone_unions {
            union.insert("description".to_owned(), json!(words));
        } else if let Some(Value::Object(first)) = branches.first_mut() {
            hints::describe(first, words);
        }
    }
    union.insert("anyOf".to_owned(), Value::Array(branches));
    Value::Object(union)
}

fn add(branches: &mut Vec<Value>, branch: Value) {
    if !branches.contains(&branch) {
        branches.push(branch);
    }
}
