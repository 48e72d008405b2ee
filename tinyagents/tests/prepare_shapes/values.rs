//! Values of a schema.

use serde_json::{Map, Value, json};

use super::is_valid;
use crate::prepare_support::instance;

/// Deterministic choices, each below the number that it is given.
pub(crate) fn picker(mut seed: u64) -> impl FnMut(usize) -> usize {
    move |below| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 40).unwrap() % below.max(1)
    }
}

type Pick<'a> = &'a mut dyn FnMut(usize) -> usize;

/// Some value of the schema: any branch, any type, any of what is optional. The caller validates it.
pub(crate) fn some(root: &Value, schema: &Value, pick: Pick<'_>, depth: usize) -> Value {
    let Value::Object(map) = schema else {
        return anything(pick);
    };
    if depth == 0 {
        return instance(root, schema, false, 3);
    }
    if let Some(reference) = map.get("$ref").and_then(Value::as_str) {
        let target = root.pointer(&reference[1..]).expect("a target");
        return some(root, target, pick, depth - 1);
    }
    if let Some(value) = map.get("const") {
        return value.clone();
    }
    if let Some(Value::Array(values)) = map.get("enum") {
        return values[pick(values.len())].clone();
    }
    for keyword in ["anyOf", "oneOf", "allOf"] {
        let Some(Value::Array(branches)) = map.get(keyword) else {
            continue;
        };
        let value = some(root, &branches[pick(branches.len())], pick, depth);
        let (true, Value::Object(variant)) = (map.contains_key("properties"), &value) else {
            return value;
        };
        let mut all = object(root, map, pick, depth);
        all.extend(variant.clone());
        return all.into();
    }
    let ty = match map.get("type") {
        Some(Value::Array(names)) => names[pick(names.len())].as_str(),
        Some(Value::String(name)) => Some(name.as_str()),
        _ => None,
    };
    match ty {
        Some("object") => object(root, map, pick, depth).into(),
        Some("array") => array(root, map, pick, depth),
        Some("integer") => json!(count(map, "minimum").unwrap_or(1) + pick(3)),
        Some("number") => [json!(1), json!(0.5), json!(3.0)][pick(3)].clone(),
        Some("boolean") => json!(pick(2) == 0),
        Some("null") => Value::Null,
        Some("string") => ["x", "xy", "", "null", "5"][pick(5)].into(),
        _ => anything(pick),
    }
}

fn anything(pick: Pick<'_>) -> Value {
    [json!("x"), json!(1), json!({}), json!([true])][pick(4)].clone()
}

fn count(schema: &Map<String, Value>, keyword: &str) -> Option<usize> {
    usize::try_from(schema.get(keyword)?.as_u64()?).ok()
}

fn object(
    root: &Value,
    schema: &Map<String, Value>,
    pick: Pick<'_>,
    depth: usize,
) -> Map<String, Value> {
    let mut object = Map::new();
    let required = schema.get("required").and_then(Value::as_array);
    for (name, property) in properties(schema) {
        let is_required = required.is_some_and(|names| names.iter().any(|known| known == name));
        if is_required || pick(2) == 0 {
            object.insert(name.clone(), some(root, property, pick, depth - 1));
        }
    }
    if let Some(others @ Value::Object(_)) = schema.get("additionalProperties")
        && pick(2) == 0
    {
        object.insert("other".to_owned(), some(root, others, pick, depth - 1));
    }
    object
}

fn array(root: &Value, schema: &Map<String, Value>, pick: Pick<'_>, depth: usize) -> Value {
    if let Some(Value::Array(prefix)) = schema.get("prefixItems") {
        let items = prefix.iter();
        return items
            .map(|item| some(root, item, pick, depth - 1))
            .collect();
    }
    let length = count(schema, "minItems").unwrap_or(0) + pick(3);
    let item = schema.get("items").unwrap_or(&Value::Bool(true));
    (0..length)
        .map(|_| some(root, item, pick, depth - 1))
        .collect()
}

fn properties(schema: &Map<String, Value>) -> impl Iterator<Item = (&String, &Value)> {
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.into_iter().flatten()
}

/// What a model in strict mode sends for these arguments: `null` for all that isn't there, in any branch that takes it.
pub(crate) fn sent(root: &Value, schema: &Value, value: &Value, pick: Pick<'_>) -> Value {
    let schema = match schema.get("$ref").and_then(Value::as_str) {
        Some(reference) => root.pointer(&reference[1..]).expect("a target"),
        None => schema,
    };
    if let Some(Value::Array(branches)) = schema.get("anyOf") {
        let definitions = root.get("$defs").cloned().unwrap_or(json!({}));
        let mut taken: Vec<Value> = branches
            .iter()
            .filter_map(|branch| {
                let sent = sent(root, branch, value, pick);
                let alone = json!({ "$defs": definitions, "anyOf": [branch] });
                is_valid(&alone, &sent).then_some(sent)
            })
            .collect();
        return match taken.len() {
            0 => value.clone(),
            several => taken.swap_remove(pick(several)),
        };
    }
    match value {
        Value::Object(object) => {
            let mut object = object.clone();
            for (name, property) in schema.as_object().into_iter().flat_map(properties) {
                let given = object.get(name).cloned();
                let given = given.map(|value| sent(root, property, &value, pick));
                object.insert(name.clone(), given.unwrap_or_default());
            }
            object.into()
        }
        Value::Array(items) => {
            let schema = schema.get("items").unwrap_or(&Value::Null);
            let items = items.iter();
            items.map(|item| sent(root, schema, item, pick)).collect()
        }
        other => other.clone(),
    }
}

/// The arguments that were given: no `null`, in the order of their names.
pub(crate) fn given(value: &Value) -> Value {
    match value {
        Value::Object(object) => {
            let mut named: Vec<(String, Value)> = object
                .iter()
                .filter(|(_, value)| !value.is_null())
                .map(|(name, value)| (name.clone(), given(value)))
                .collect();
            named.sort_by(|(one, _), (other, _)| one.cmp(other));
            named.into_iter().collect::<Map<_, _>>().into()
        }
        Value::Array(items) => items.iter().map(given).collect(),
        other => other.clone(),
    }
}
