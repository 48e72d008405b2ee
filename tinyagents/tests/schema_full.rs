//! The keywords that only the feature `full-schema` enforces.

#![cfg(feature = "full-schema")]
#![allow(missing_docs, clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod lifecycle_support;
mod schema_support;

use std::{env, fs, path::PathBuf};

use lifecycle_support::{Made, dispatch, dispatcher};
use schema_support::{check, check_agreement};
use serde_json::{Value, json};
use tinyagents::schema::{SchemaError, Validator};
use tinyagents::tinytools::ToolPolicy;
use tinyagents::{RunContext, ToolCall, ToolRegistry};

fn texts(schema: &Value, value: &Value) -> Vec<String> {
    let validator = Validator::compile(schema).unwrap_or_else(|error| panic!("{error}"));
    let faults = validator.validate(value).expect_err("the value is wrong");
    for fault in &faults {
        assert!(schema.pointer(&fault.schema_path).is_some(), "{fault:?}");
    }
    faults.iter().map(ToString::to_string).collect()
}

#[test]
fn each_further_keyword_is_enforced() {
    for (schema, valid, invalid) in [
        (json!({ "not": { "type": "string" } }), json!(1), json!("x")),
        (
            json!({ "if": { "required": ["a"] }, "then": { "required": ["b"] }, "else": { "required": ["c"] } }),
            json!({ "a": 1, "b": 1 }),
            json!({ "b": 1 }),
        ),
        (
            json!({ "uniqueItems": true }),
            json!([1, 2]),
            json!([1, 1.0]),
        ),
        (
            json!({ "contains": { "const": 1 }, "minContains": 2 }),
            json!([1, 1]),
            json!([1]),
        ),
        (
            json!({ "minProperties": 1, "maxProperties": 2 }),
            json!({ "a": 1 }),
            json!({}),
        ),
        (
            json!({ "propertyNames": { "maxLength": 2 } }),
            json!({ "ab": 1 }),
            json!({ "abc": 1 }),
        ),
        (
            json!({ "patternProperties": { "^n_": { "type": "integer" } }, "additionalProperties": false }),
            json!({ "n_a": 1 }),
            json!({ "n_a": "x" }),
        ),
        (
            json!({ "dependentRequired": { "a": ["b"] } }),
            json!({ "a": 1, "b": 1 }),
            json!({ "a": 1 }),
        ),
        (
            json!({ "dependentSchemas": { "a": { "minProperties": 2 } } }),
            json!({ "b": 1 }),
            json!({ "a": 1 }),
        ),
        (
            json!({ "allOf": [{ "properties": { "a": true } }], "unevaluatedProperties": false }),
            json!({ "a": 1 }),
            json!({ "b": 1 }),
        ),
        (
            json!({ "prefixItems": [true], "unevaluatedItems": false }),
            json!([1]),
            json!([1, 2]),
        ),
        (
            json!({ "$schema": "http://json-schema.org/draft-07/schema#", "format": "date" }),
            json!("2026-01-31"),
            json!("31 January"),
        ),
        (
            json!({ "oneOf": [{ "not": { "const": 1 } }, { "type": "integer", "maximum": 5 }] }),
            json!(1),
            json!(2),
        ),
    ] {
        check(&schema, &[valid], &[invalid]);
    }
}

#[test]
fn faults_have_the_form_of_the_others() {
    for (schema, value, told) in [
        (
            json!({ "properties": { "tags": { "type": "array", "uniqueItems": true } } }),
            json!({ "tags": ["a", "a"] }),
            "tags: expected items that differ, got an item twice; remove the repeated item",
        ),
        (
            json!({ "minProperties": 2 }),
            json!({ "a": 1 }),
            "arguments: expected at least 2 properties, got an object of 1 property; add what is missing",
        ),
        (
            json!({ "$schema": "http://json-schema.org/draft-07/schema#", "properties": { "day": { "format": "date" } } }),
            json!({ "day": "May 1" }),
            "day: expected a string in the format `date`, got \"May 1\"; write it in that format",
        ),
        (
            json!({ "items": { "properties": { "x": { "not": { "const": 0 } } } } }),
            json!([{ "x": 1 }, { "x": 0 }]),
            "[1].x: expected a value other than {\"const\":0}, got 0; send another value",
        ),
        (
            json!({ "dependentRequired": { "from": ["to"] } }),
            json!({ "from": 1 }),
            "arguments: expected \"to\" beside the others, got an object of 1 property; add \"to\"",
        ),
        (
            json!({ "patternProperties": { "^n_": { "maximum": 5 } } }),
            json!({ "n_a": 7 }),
            "n_a: expected `maximum` 5, got 7; change it to fit the schema",
        ),
        (
            json!({ "if": true, "then": { "properties": { "a": false } } }),
            json!({ "a": 7 }),
            "a: expected nothing, got 7; leave it out",
        ),
    ] {
        assert_eq!(texts(&schema, &value), [told], "{schema} {value}");
    }
}

#[test]
fn nothing_is_told_twice() {
    let schema = json!({
        "properties": { "a": { "type": "integer" }, "b": { "type": "array", "uniqueItems": true } },
        "anyOf": [{ "properties": { "a": { "type": "integer" } } }]
    });
    assert_eq!(
        texts(&schema, &json!({ "a": "x", "b": [1, 1] })),
        [
            "a: expected an integer, got the string \"x\"; send a whole number",
            "b: expected items that differ, got an item twice; remove the repeated item",
        ]
    );
}

#[test]
fn a_redacted_value_is_not_told() {
    let schema = json!({
        "properties": { "secret": { "not": { "required": ["x"] }, "unevaluatedProperties": false, "propertyNames": { "maxLength": 2 } } }
    });
    let validator = Validator::compile(&schema).expect("it compiles");
    let value = json!({ "secret": { "x": 1, "hunter2": "hunter2" } });
    let faults = validator
        .validate_redacted(&value, &["secret"])
        .expect_err("it is wrong");
    assert!(
        !faults.is_empty() && !format!("{faults:?}").contains("hunter2"),
        "{faults:?}"
    );
}

#[test]
fn the_limits_hold_before_anything_is_looked_into() {
    let validator = Validator::compile(&json!({
        "properties": { "next": { "$ref": "#" } }, "minProperties": 1
    }))
    .expect("it compiles");
    let deep =
        |levels: usize| (0..levels).fold(json!({ "a": 1 }), |inner, _| json!({ "next": inner }));
    assert!(validator.is_valid(&deep(127)) && !validator.is_valid(&deep(128)));
    let faults = validator.validate(&deep(1000)).unwrap_err();
    assert!(faults[0].to_string().contains("levels of nesting"));
}

#[test]
fn a_schema_that_cannot_be_enforced_is_refused() {
    for schema in [
        json!({ "minProperties": "two" }),
        json!({ "not": { "$ref": "https://example.org/other.json" } }),
        json!({ "propertyNames": { "pattern": "(?=a)" } }),
    ] {
        assert!(
            matches!(
                Validator::compile(&schema),
                Err(SchemaError::Unenforceable { .. })
            ),
            "{schema}"
        );
        let mut registry = ToolRegistry::new();
        assert!(
            registry
                .register(Made::echo("echo").schema(schema))
                .is_err()
        );
    }
}

#[tokio::test]
async fn a_call_that_breaks_such_a_keyword_does_not_run() {
    let schema = json!({
        "type": "object",
        "properties": { "ids": { "type": "array", "uniqueItems": true } }
    });
    let tool = Made::echo("echo")
        .schema(schema)
        .policy(ToolPolicy::default());
    let call = ToolCall::new("c1", "echo", json!({ "ids": [1, 1] }));
    let batch = dispatch(&dispatcher([tool.clone()]), &RunContext::new(), vec![call]).await;
    let lines: Vec<&str> = batch.messages[0].content.lines().collect();
    assert_eq!(
        lines,
        [
            "invalid arguments for `echo`:",
            "- ids: expected items that differ, got an item twice; remove the repeated item",
            r#"schema: {"type":"array","uniqueItems":true}"#,
        ]
    );
    assert_eq!(tool.runs(), 0);
}

#[test]
fn all_rows_of_the_corpus_agree_or_are_refused() {
    let Some(folder) = env::var_os("TINYAGENTS_CORPORA") else {
        println!("skipped: TINYAGENTS_CORPORA is not set");
        return;
    };
    let (mut agreed, mut refused) = (0, 0);
    let mut wrong = Vec::new();
    for entry in fs::read_dir(PathBuf::from(folder).join("json_schema")).expect("a folder") {
        let text = fs::read_to_string(entry.expect("an entry").path()).expect("a corpus file");
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let row: Value = serde_json::from_str(line).expect("a JSON row");
            match Validator::compile(&row["schema"]) {
                Err(_) => refused += 1,
                Ok(validator) if row["valid"] == validator.is_valid(&row["instance"]) => {
                    agreed += 1;
                }
                Ok(_) => wrong.push(line.to_owned()),
            }
        }
    }
    println!("{refused} are refused");
    check_agreement(agreed, &wrong);
}
