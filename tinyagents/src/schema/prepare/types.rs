//! Names of types.

use serde_json::{Map, Value};

use crate::schema::shape::TYPES;

/// Names that other languages, and the dialect of the Berkeley function-calling leaderboard, have for the types of JSON.
const FOREIGN: [(&str, &[&str]); 5] = [
    (
        "object",
        &["dict", "map", "hashmap", "hashtable", "record", "struct"],
    ),
    (
        "array",
        &["list", "tuple", "set", "arraylist", "vec", "queue", "stack"],
    ),
    ("number", &["float", "double", "decimal"]),
    ("integer", &["int", "long", "short", "byte", "bigint"]),
    ("string", &["str", "text", "char"]),
];

/// The JSON type that a name stands for; `None` where it says nothing, as `any` does.
pub(super) fn json_name(name: &str) -> Option<&'static str> {
    let lower = name.to_ascii_lowercase();
    let known = TYPES.iter().copied().find(|known| *known == lower);
    known.or_else(|| {
        let foreign = FOREIGN
            .iter()
            .find(|(_, names)| names.contains(&lower.as_str()));
        match foreign {
            Some((json, _)) => Some(*json),
            None if lower == "bool" => Some("boolean"),
            None if lower == "none" => Some("null"),
            None => None,
        }
    })
}

/// What is written under `type` for these names.
pub(super) fn written(names: &[&str]) -> Option<Value> {
    let mut different: Vec<&str> = Vec::with_capacity(names.len());
    for name in names {
        if !different.contains(name) {
            different.push(name);
        }
    }
    match different.as_slice() {
        [] => None,
        [name] => Some(Value::from(*name)),
        names => Some(Value::from(names)),
    }
}

/// The names under `type`; none where there is no `type`.
pub(super) fn names(schema: &Map<String, Value>) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

pub(super) fn has(schema: &Map<String, Value>, name: &str) -> bool {
    names(schema).contains(&name)
}

/// The types of some values.
pub(super) fn of_values(values: &[Value]) -> Option<Value> {
    let names: Vec<&str> = values.iter().map(of_value).collect();
    written(&names)
}

/// The narrowest type that the value has.
pub(crate) fn of_value(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// The type that a schema's other keywords are about.
pub(super) fn implied(schema: &Map<String, Value>) -> Option<&'static str> {
    ["object", "array", "string", "number"]
        .into_iter()
        .find(|ty| {
            keywords(ty)
                .iter()
                .any(|keyword| schema.contains_key(*keyword))
        })
}

/// Drops what is said about values of types that the schema doesn't have.
pub(super) fn keep_own_keywords(schema: &mut Map<String, Value>) {
    let foreign: Vec<&str> = schema
        .keys()
        .filter_map(|keyword| foreign_keyword(schema, keyword))
        .collect();
    for keyword in foreign {
        schema.shift_remove(keyword);
    }
}

/// The keyword, if it says something about values of other types than the schema's, which are known.
pub(in crate::schema) fn foreign_keyword(
    schema: &Map<String, Value>,
    keyword: &str,
) -> Option<&'static str> {
    let own = names(schema);
    let all = ["object", "array", "string", "number"];
    let (ty, known) = all.into_iter().find_map(|ty| {
        let known = keywords(ty).iter().copied().find(|known| *known == keyword);
        Some((ty, known?))
    })?;
    // Values of any type can be listed, and a number can be whole.
    let is_own = known == "enum"
        || own.is_empty()
        || own.contains(&ty)
        || (own.contains(&"integer") && (ty == "number" || known == "format"))
        || (own.contains(&"number") && known == "format");
    (!is_own).then_some(known)
}

/// Keywords that say something about values of one type alone.
pub(super) fn keywords(ty: &str) -> &'static [&'static str] {
    match ty {
        "object" => &[
            "properties",
            "required",
            "additionalProperties",
            "minProperties",
            "maxProperties",
            "propertyOrdering",
        ],
        "array" => &[
            "items",
            "prefixItems",
            "minItems",
            "maxItems",
            "uniqueItems",
        ],
        "string" => &["pattern", "minLength", "maxLength", "format", "enum"],
        "number" | "integer" => &[
            "minimum",
            "maximum",
            "exclusiveMinimum",
            "exclusiveMaximum",
            "multipleOf",
        ],
        _ => &[],
    }
}
