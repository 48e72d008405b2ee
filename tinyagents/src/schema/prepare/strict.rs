//! Strict mode: closed objects, all of whose properties are required.

use serde_json::{Map, Value, json};

/// Closes an object. A property that was optional is required now, and may be `null` instead.
pub(super) fn close(schema: &mut Map<String, Value>) {
    let was_required: Vec<String> = match schema.get("required") {
        Some(Value::Array(names)) => names
            .iter()
            .filter_map(Value::as_str)
            .map(ToOwned::to_owned)
            .collect(),
        _ => Vec::new(),
    };
    let mut names = Vec::new();
    let properties = schema
        .entry("properties")
        .or_insert_with(|| Value::Object(Map::new()));
    if let Value::Object(properties) = properties {
        for (name, property) in properties.iter_mut() {
            names.push(Value::String(name.clone()));
            if !was_required.contains(name) {
                *property = or_null(property.take());
            }
        }
    }
    schema.insert("required".to_owned(), Value::Array(names));
    schema.insert("additionalProperties".to_owned(), Value::Bool(false));
}

/// The same schema, but for `null`, which it allows too.
fn or_null(schema: Value) -> Value {
    let Value::Object(mut schema) = schema else {
        return schema;
    };
    if let Some(Value::Array(branches)) = schema.get_mut("anyOf") {
        let null = json!({ "type": "null" });
        let has_null = branches.iter().any(|branch| match branch.get("type") {
            Some(Value::Array(names)) => names.contains(&json!("null")),
            ty => ty == Some(&json!("null")),
        });
        if !has_null {
            branches.push(null);
        }
        return Value::Object(schema);
    }
    let names = match schema.get("type") {
        Some(Value::String(name)) => vec![json!(name)],
        Some(Value::Array(names)) => names.clone(),
        _ => return json!({ "anyOf": [schema, { "type": "null" }] }),
    };
    let allows_null = names.contains(&json!("null"));
    if !allows_null {
        let names: Vec<Value> = names.into_iter().chain([json!("null")]).collect();
        schema.insert("type".to_owned(), Value::Array(names));
    }
    if let Some(constant) = schema.shift_remove("const") {
        schema.insert("enum".to_owned(), json!([constant]));
    }
    if let Some(Value::Array(values)) = schema.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
    Value::Object(schema)
}
