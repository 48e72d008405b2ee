//! What the tests of schema preparation share.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used
)]

use serde_json::{Map, Value, json};
use tinyagents::schema::{SchemaTarget, lint, prepare};

/// Rows of the corpus, if there is one.
pub fn corpus(file: &str) -> Option<Vec<Value>> {
    let Some(folder) = std::env::var_os("TINYAGENTS_CORPORA") else {
        println!("skipped: TINYAGENTS_CORPORA is not set");
        return None;
    };
    let path = std::path::PathBuf::from(folder).join(file);
    let text = std::fs::read_to_string(path).expect("a corpus file");
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    Some(
        lines
            .map(|line| serde_json::from_str(line).expect("a JSON row"))
            .collect(),
    )
}

/// Names of the top-level properties, those in combinations at the root too.
pub fn top_level(root: &Value, schema: &Value, depth: usize) -> Vec<String> {
    let mut names = Vec::new();
    let (Value::Object(map), true) = (schema, depth > 0) else {
        return names;
    };
    if let Some(Value::Object(properties)) = map.get("properties") {
        names.extend(properties.keys().cloned());
    }
    for keyword in ["anyOf", "oneOf", "allOf"] {
        for part in map
            .get(keyword)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            names.extend(top_level(root, part, depth - 1));
        }
    }
    if let Some(reference) = map.get("$ref").and_then(Value::as_str)
        && let Some(target) = reference
            .strip_prefix('#')
            .and_then(|pointer| root.pointer(pointer))
    {
        names.extend(top_level(root, target, depth - 1));
    }
    names.sort();
    names.dedup();
    names
}

/// Values for a schema: with everything that is optional, and without. The caller validates them.
pub fn instance(root: &Value, schema: &Value, full: bool, depth: usize) -> Value {
    let Value::Object(map) = schema else {
        return json!("x");
    };
    if let Some(reference) = map.get("$ref").and_then(Value::as_str) {
        let target = reference
            .strip_prefix('#')
            .and_then(|pointer| root.pointer(pointer));
        return match target {
            Some(target) if depth > 0 => instance(root, target, full, depth - 1),
            _ => json!({}),
        };
    }
    if let Some(value) = map.get("const") {
        return value.clone();
    }
    if let Some(Value::Array(values)) = map.get("enum") {
        return values[0].clone();
    }
    for keyword in ["anyOf", "oneOf"] {
        if let Some(Value::Array(branches)) = map.get(keyword)
            && map.get("properties").is_none()
        {
            return instance(root, &branches[0], full, depth);
        }
    }
    let ty = match map.get("type") {
        Some(Value::Array(names)) => names[0].as_str(),
        Some(Value::String(name)) => Some(name.as_str()),
        _ if map.contains_key("properties") => Some("object"),
        _ => None,
    };
    let count = |keyword: &str| map.get(keyword).and_then(Value::as_u64).unwrap_or(0);
    match ty {
        Some("object") => {
            let mut object = Map::new();
            let required = map.get("required").and_then(Value::as_array);
            for (name, property) in map
                .get("properties")
                .and_then(Value::as_object)
                .into_iter()
                .flatten()
            {
                let is_required =
                    required.is_some_and(|names| names.iter().any(|known| known == name));
                if *property != json!(false) && depth > 0 && (full || is_required) {
                    object.insert(name.clone(), instance(root, property, full, depth - 1));
                }
            }
            Value::Object(object)
        }
        Some("array") => {
            let least = usize::try_from(count("minItems"))
                .unwrap()
                .max(usize::from(full));
            let item = map.get("items").unwrap_or(&Value::Bool(true));
            (0..least)
                .map(|_| instance(root, item, full, depth.saturating_sub(1)))
                .collect()
        }
        Some("string")
            if map
                .get("format")
                .is_some_and(|format| format == "date-time") =>
        {
            json!("2026-01-02T03:04:05Z")
        }
        Some("integer" | "number") => {
            let above = map
                .get("exclusiveMinimum")
                .and_then(Value::as_i64)
                .map(|bound| bound + 1);
            let least = map.get("minimum").and_then(Value::as_i64).or(above);
            let most = map.get("maximum").and_then(Value::as_i64);
            json!(least.or(most).unwrap_or(1))
        }
        Some("boolean") => json!(true),
        Some("null") => Value::Null,
        _ => json!("x".repeat(usize::try_from(count("minLength").max(1)).unwrap())),
    }
}

/// What a model in strict mode sends for these arguments: `null` for all that isn't there.
pub fn filled(root: &Value, schema: &Value, value: &Value) -> Value {
    let schema = match schema.get("$ref").and_then(Value::as_str) {
        Some(reference) => root.pointer(&reference[1..]).expect("a target"),
        None => schema,
    };
    if let Some(Value::Array(branches)) = schema.get("anyOf") {
        let wanted = |branch: &&Value| {
            let branch = filled(root, branch, value);
            let defs = root.get("$defs").cloned().unwrap_or(json!({}));
            let alone = json!({ "$defs": defs, "anyOf": [schema] });
            tinyagents::Validator::compile(&alone)
                .is_ok_and(|validator| validator.is_valid(&branch))
        };
        return match branches.iter().find(wanted) {
            Some(branch) => filled(root, branch, value),
            None => value.clone(),
        };
    }
    match value {
        Value::Object(object) => {
            let mut object = object.clone();
            for (name, property) in schema
                .get("properties")
                .and_then(Value::as_object)
                .into_iter()
                .flatten()
            {
                let value = object
                    .get(name)
                    .map_or(Value::Null, |value| filled(root, property, value));
                object.insert(name.clone(), value);
            }
            Value::Object(object)
        }
        Value::Array(items) => {
            let schema = schema.get("items").unwrap_or(&Value::Null);
            items
                .iter()
                .map(|item| filled(root, schema, item))
                .collect()
        }
        other => other.clone(),
    }
}

/// A tool's schema with one argument.
pub fn with(argument: Value) -> Value {
    let mut schema = json!({ "type": "object", "properties": {}, "required": ["a"] });
    schema["properties"]["a"] = argument;
    schema
}

/// What becomes of a required argument; it must be clean afterwards.
pub fn argument(argument: Value, target: SchemaTarget) -> Value {
    clean(&with(argument), target)["properties"]["a"].clone()
}

/// What becomes of a schema, which is clean afterwards and stays as it is.
pub fn clean(schema: &Value, target: SchemaTarget) -> Value {
    let prepared = prepare(schema, target);
    assert_eq!(lint(&prepared, target), [], "{target}: {prepared}");
    assert_eq!(prepare(&prepared, target), prepared, "{target}");
    prepared
}

/// What is found in a schema.
pub fn found(schema: &Value, target: SchemaTarget) -> Vec<String> {
    lint(schema, target)
        .iter()
        .map(ToString::to_string)
        .collect()
}

/// Which providers find something.
pub fn finders(schema: &Value) -> Vec<SchemaTarget> {
    SchemaTarget::ALL
        .into_iter()
        .filter(|target| !lint(schema, *target).is_empty())
        .collect()
}
