//! Schemas as people and their libraries write them, values that they admit, and what a model in strict mode makes of those.

#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use tinyagents::schema::Validator;

pub(crate) mod values;

fn leaf() -> impl Strategy<Value = Value> {
    prop::sample::select(vec![
        json!({ "type": "string", "description": "Words." }),
        json!({ "type": "string", "enum": ["a", "b"] }),
        json!({ "type": "string", "format": "uri" }),
        json!({ "type": "string", "minLength": 1, "maxLength": 3, "pattern": "^x" }),
        json!({ "type": "integer", "minimum": 1, "maximum": 5 }),
        json!({ "type": "integer", "format": "uint8", "minimum": 0, "maximum": 255 }),
        json!({ "type": "number", "exclusiveMinimum": 0 }),
        json!({ "type": "boolean", "default": true }),
        json!({ "type": "null" }),
        json!({ "type": ["string", "null"] }),
        json!({ "type": ["integer", "string"] }),
        json!({ "type": ["integer", "null"], "format": "int32" }),
        json!({ "type": ["string", "null"], "enum": ["a", null], "default": null }),
        json!({ "const": "only" }),
        json!({ "enum": [1, 2, null] }),
        json!({ "type": "array", "items": { "type": "string" }, "minItems": 1, "maxItems": 3 }),
        json!({ "type": "array", "items": { "type": "integer" }, "uniqueItems": true }),
        json!({ "type": "array", "prefixItems": [{ "type": "string" }, { "type": "integer" }], "minItems": 2, "maxItems": 2 }),
        json!({ "type": "object" }),
        json!({ "type": "object", "additionalProperties": { "type": "integer" } }),
        json!({ "type": "object", "additionalProperties": { "type": ["string", "null"] } }),
        json!({}),
        json!(true),
        json!({ "$ref": "#/$defs/tree" }),
        json!({ "$ref": "#/$defs/colour" }),
        json!({ "$ref": "#/$defs/shape" }),
        json!({ "anyOf": [{ "$ref": "#/$defs/tree" }, { "type": "null" }] }),
        json!({ "allOf": [{ "$ref": "#/$defs/tree" }], "description": "A tree.", "default": { "label": "x" } }),
    ])
}

fn definitions() -> Value {
    json!({
        "tree": { "type": "object", "properties": {
            "label": { "type": "string" }, "below": { "type": "array", "items": { "$ref": "#/$defs/tree" } }
        }, "required": ["label"], "additionalProperties": false },
        "colour": { "oneOf": [
            { "const": "red", "description": "Warm." }, { "type": "string", "enum": ["green", "blue"] }
        ] },
        "shape": { "oneOf": [
            { "type": "object", "properties": { "circle": { "type": "object", "properties": {
                "r": { "type": ["number", "null"] }
            } } }, "required": ["circle"], "additionalProperties": false },
            { "type": "object", "properties": { "square": { "type": "object", "properties": {
                "a": { "type": "number" }
            }, "required": ["a"] } }, "required": ["square"], "additionalProperties": false }
        ] }
    })
}

/// Schemas as they are written, whose values can be made.
pub(crate) fn sensible() -> impl Strategy<Value = Value> {
    let inner = leaf().prop_recursive(3, 20, 4, |inner| {
        let branch = prop_oneof![
            2 => object(inner.clone()),
            1 => inner.clone(),
            1 => Just(json!({ "type": "null" })),
        ];
        let keyword = prop::sample::select(&["anyOf", "oneOf"][..]);
        prop_oneof![
            inner
                .clone()
                .prop_map(|items| json!({ "type": "array", "items": items })),
            inner.clone().prop_map(
                |one| json!({ "anyOf": [one, { "type": "null" }], "description": "Either." })
            ),
            prop::collection::vec(branch, 2..4).prop_map(|branches| json!({ "anyOf": branches })),
            inner.clone().prop_map(
                |one| json!({ "oneOf": [one, { "type": "array", "items": { "type": "boolean" } }] })
            ),
            (object(inner.clone()), object(inner.clone())).prop_map(
                |(one, other)| json!({ "oneOf": [tagged(one, "x"), tagged(other, "y")] })
            ),
            (
                keyword,
                object(inner.clone()),
                object(inner.clone()),
                object(inner.clone())
            )
                .prop_map(|(keyword, outer, one, other)| flattened(keyword, outer, one, other)),
            object(inner),
        ]
    });
    object(inner).prop_map(|mut schema| {
        schema["$defs"] = definitions();
        schema
    })
}

fn object(inner: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
    let names = prop::sample::select(&["a", "b", "c", "d", "type"][..]);
    let others = prop::sample::select(vec![Some(false), Some(false), Some(true), None]);
    let entries = prop::collection::vec((names, inner, any::<bool>()), 0..4);
    (entries, others).prop_map(|(entries, others)| {
        let required = entries.iter().filter(|(_, _, required)| *required);
        let required: BTreeSet<&str> = required.map(|(name, _, _)| *name).collect();
        let properties: Map<String, Value> = entries
            .iter()
            .map(|(name, schema, _)| ((*name).to_owned(), schema.clone()))
            .collect();
        let mut schema =
            json!({ "type": "object", "properties": properties, "required": required });
        if let Some(others) = others {
            schema["additionalProperties"] = others.into();
        }
        schema
    })
}

/// A variant that is known by its tag.
fn tagged(mut schema: Value, tag: &str) -> Value {
    let required = schema["required"].as_array_mut().unwrap();
    required.retain(|name| name != "type");
    required.push(json!("type"));
    schema["properties"]["type"] = json!({ "type": "string", "const": tag });
    schema
}

/// An object with the arguments of one of two variants beside its own.
fn flattened(keyword: &str, outer: Value, one: Value, other: Value) -> Value {
    let without = |mut schema: Value, names: &[&str]| {
        let map = schema.as_object_mut().unwrap();
        map.remove("additionalProperties");
        let is_left = |name: &str| !names.contains(&name);
        let required = map["required"].as_array_mut().unwrap();
        required.retain(|name| name.as_str().is_some_and(is_left));
        let properties = map["properties"].as_object_mut().unwrap();
        properties.retain(|name, _| is_left(name));
        schema
    };
    let mut outer = without(outer, &["type", "c", "d"]);
    let [one, other] = [one, other].map(|variant| without(variant, &["a", "b"]));
    outer[keyword] = json!([tagged(one, "x"), tagged(other, "y")]);
    outer
}

/// Whether it has a place for arguments without a name or a type, which strict mode has not.
pub(crate) fn is_open(schema: &Value) -> bool {
    let Value::Object(map) = schema else {
        return *schema == json!(true);
    };
    let has = |keyword: &&str| map.contains_key(*keyword);
    let describes = ["type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref"];
    let is_flattened = has(&"properties") && (has(&"oneOf") || has(&"anyOf"));
    let takes_others = map.get("type") == Some(&json!("object"))
        && map.get("additionalProperties") != Some(&json!(false))
        && !is_flattened;
    let properties = map.get("properties").and_then(Value::as_object);
    let branches = ["anyOf", "oneOf"]
        .iter()
        .filter_map(|keyword| map.get(*keyword));
    let mut branches = branches.filter_map(Value::as_array).flatten();
    !describes.iter().any(has)
        || takes_others
        || properties.is_some_and(|properties| properties.values().any(is_open))
        || map.get("items").is_some_and(is_open)
        || branches.any(|branch| {
            let mut branch = branch.clone();
            if is_flattened {
                branch["additionalProperties"] = json!(false);
            }
            is_open(&branch)
        })
}

/// The same in JSON Schema, where some providers say `nullable`.
pub(crate) fn without_nullable(schema: &Value) -> Value {
    match schema {
        Value::Object(map) => {
            let mut plain: Map<String, Value> = map
                .iter()
                .map(|(name, value)| (name.clone(), without_nullable(value)))
                .collect();
            if plain.get("nullable") != Some(&json!(true)) {
                return plain.into();
            }
            plain.remove("nullable");
            json!({ "anyOf": [plain, { "type": "null" }] })
        }
        Value::Array(items) => items.iter().map(without_nullable).collect(),
        other => other.clone(),
    }
}

pub(crate) fn is_valid(schema: &Value, value: &Value) -> bool {
    Validator::compile(schema)
        .expect("a schema")
        .is_valid(value)
}
