//! What a model reads when its arguments are wrong.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

use serde_json::{Value, json};
use tinyagents::schema::{ArgumentError, Validator};

fn faults(schema: &Value, value: &Value) -> Vec<ArgumentError> {
    Validator::compile(schema)
        .unwrap_or_else(|error| panic!("{error}"))
        .validate(value)
        .expect_err("the value is wrong")
}

fn texts(schema: &Value, value: &Value) -> Vec<String> {
    faults(schema, value)
        .iter()
        .map(ToString::to_string)
        .collect()
}

fn weather() -> Value {
    json!({
        "type": "object",
        "properties": {
            "city": { "type": "string", "minLength": 2 },
            "days": { "type": "integer", "minimum": 1, "maximum": 14 },
            "units": { "type": "string", "enum": ["celsius", "fahrenheit"] },
            "hourly": { "type": "boolean" },
            "filters": {
                "type": "array",
                "maxItems": 2,
                "items": {
                    "type": "object",
                    "properties": { "field": { "type": "string" }, "since": { "type": "string", "pattern": "^\\d{4}$" } },
                    "required": ["field"],
                    "additionalProperties": false
                }
            },
            "area": {
                "oneOf": [
                    { "type": "object", "properties": { "kind": { "const": "circle" }, "radius": { "type": "number" } }, "required": ["kind", "radius"] },
                    { "type": "object", "properties": { "kind": { "const": "box" }, "width": { "type": "number" } }, "required": ["kind", "width"] }
                ]
            },
            "note": { "anyOf": [{ "type": "string" }, { "type": "null" }] }
        },
        "required": ["city"],
        "additionalProperties": false
    })
}

#[test]
fn ten_typical_mistakes_are_told_with_path_expectation_finding_and_fix() {
    for (arguments, text) in [
        (
            json!({}),
            "city: expected a string of at least 2 characters, got nothing; add it, it is required",
        ),
        (
            json!({ "city": "Oslo", "days": "5" }),
            "days: expected an integer from 1 to 14, got the string \"5\"; remove the quotes",
        ),
        (
            json!({ "city": "Oslo", "days": 30 }),
            "days: expected an integer from 1 to 14, got 30; send at most 14",
        ),
        (
            json!({ "city": "Oslo", "dayz": 3 }),
            "dayz: expected one of `city`, `days`, `units`, `hourly`, `filters`, `area`, `note`, got an unknown property; rename it to `days`",
        ),
        (
            json!({ "city": "Oslo", "units": "Celcius" }),
            "units: expected one of \"celsius\", \"fahrenheit\", got \"Celcius\"; send \"celsius\"",
        ),
        (
            json!({ "city": 7 }),
            "city: expected a string of at least 2 characters, got 7; put it in quotes",
        ),
        (
            json!({ "city": "Oslo", "hourly": null }),
            "hourly: expected a boolean, got null; leave it out",
        ),
        (
            json!({ "city": "Oslo", "filters": { "field": "x" } }),
            "filters: expected an array of at most 2 items, got an object; send an array",
        ),
        (
            json!({ "city": "Oslo", "filters": "[{\"field\":\"x\"}]" }),
            "filters: expected an array of at most 2 items, got the string \"[{\\\"field\\\":\\\"x\\\"}]\"; send the array itself, not as a string",
        ),
        (
            json!({ "city": "Oslo", "filters": [{ "field": "x" }, { "field": "x", "since": "last year" }] }),
            "filters[1].since: expected a string matching `^\\d{4}$`, got \"last year\"; match the pattern",
        ),
        (
            json!({ "city": "Oslo", "area": { "kind": "circel", "radius": 3 } }),
            "area.kind: expected one of \"circle\", \"box\", got \"circel\"; send \"circle\"",
        ),
        (
            json!({ "city": "Oslo", "area": { "kind": "circle", "radius": "3" } }),
            "area.radius: expected a number, got the string \"3\"; remove the quotes",
        ),
        (
            json!({ "city": "Oslo", "area": { "radius": 3 } }),
            "area.kind: expected one of \"circle\", \"box\", got nothing; add it, it is required",
        ),
        (
            json!({ "city": "Oslo", "note": 3 }),
            "note: expected a string or null, got 3; put it in quotes",
        ),
        (
            json!("Oslo"),
            "arguments: expected an object with `city`, got the string \"Oslo\"; send an object",
        ),
    ] {
        let found = texts(&weather(), &arguments);
        assert_eq!(found, [text], "{arguments}");
        assert!(text.chars().count() <= 240, "{text}");
    }
}

#[test]
fn all_faults_are_reported_in_the_order_of_the_value() {
    let value = json!({ "days": 0, "filters": [{ "since": 1 }, {}, {}], "extra": 1 });
    let paths: Vec<String> = faults(&weather(), &value)
        .into_iter()
        .map(|fault| fault.path)
        .collect();
    assert_eq!(
        paths,
        [
            "days",
            "filters",
            "filters[0].since",
            "filters[0].field",
            "filters[1].field",
            "filters[2].field",
            "extra",
            "city"
        ]
    );
}

#[test]
fn a_fault_names_the_sub_schema_that_was_not_met() {
    let schema = weather();
    for (arguments, asked) in [
        (
            json!({ "city": "Oslo", "days": 30 }),
            json!({ "type": "integer", "minimum": 1, "maximum": 14 }),
        ),
        (json!({}), json!({ "type": "string", "minLength": 2 })),
        (
            json!({ "city": "Oslo", "filters": [{ "field": 1 }] }),
            json!({ "type": "string" }),
        ),
    ] {
        let faults = faults(&schema, &arguments);
        assert_eq!(schema.pointer(&faults[0].schema_path), Some(&asked));
    }
    let recursive = json!({ "properties": { "a~/b": { "$ref": "#/$defs/n%" } }, "$defs": { "n%": { "type": "null" } } });
    let faults = faults(&recursive, &json!({ "a~/b": 1 }));
    assert_eq!(
        recursive.pointer(&faults[0].schema_path),
        Some(&json!({ "type": "null" }))
    );
}

#[test]
fn an_optional_branch_reports_the_faults_of_the_value_inside() {
    let schema = json!({ "properties": { "at": { "anyOf": [{ "$ref": "#/$defs/point" }, { "type": "null" }] } },
        "$defs": { "point": { "type": "object", "properties": { "x": { "type": "number" } }, "required": ["x"] } } });
    assert_eq!(
        texts(&schema, &json!({ "at": { "x": "no" } })),
        ["at.x: expected a number, got the string \"no\"; send a number"]
    );
    assert_eq!(
        texts(&schema, &json!({ "at": 3 })),
        ["at: expected an object with `x` or null, got 3; send an object"]
    );
}

#[test]
fn alternatives_of_one_type_are_described() {
    let schema = json!({ "oneOf": [
        { "type": "object", "properties": { "id": { "type": "integer" } }, "required": ["id"] },
        { "type": "object", "properties": { "name": { "type": "string" } }, "required": ["name"] }
    ] });
    assert_eq!(
        texts(&schema, &json!({ "other": 1 })),
        [
            "arguments: expected an object with `id` or an object with `name`, got an object; fit one of these"
        ]
    );
    assert_eq!(
        texts(&schema, &json!({ "id": 1, "name": "x" })),
        [
            "arguments: expected exactly one of 2 alternatives, got a value that fits several; make it fit only one"
        ]
    );
}

#[test]
fn the_same_fault_is_said_once() {
    let city = json!({ "properties": { "city": { "type": "string" } }, "required": ["city"] });
    assert_eq!(
        faults(&json!({ "allOf": [city, city] }), &json!({})).len(),
        1
    );
}

#[test]
fn ranges_are_told_in_words() {
    for (schema, value, text) in [
        (
            json!({ "exclusiveMinimum": 0, "maximum": 1 }),
            json!(0),
            "arguments: expected a number above 0 and of at most 1, got 0; send more than 0",
        ),
        (
            json!({ "type": "number", "minimum": 0.5 }),
            json!(0.25),
            "arguments: expected a number of at least 0.5, got 0.25; send at least 0.5",
        ),
        (
            json!({ "type": "integer", "multipleOf": 5 }),
            json!(7),
            "arguments: expected an integer divisible by 5, got 7; send a multiple of 5",
        ),
        (
            json!({ "type": "integer" }),
            json!(2.5),
            "arguments: expected an integer, got 2.5; send a whole number",
        ),
        (
            json!({ "minLength": 1, "maxLength": 3 }),
            json!("four"),
            "arguments: expected a string of 1 to 3 characters, got 4 characters; shorten it to 3 characters",
        ),
        (
            json!({ "minItems": 2 }),
            json!([1]),
            "arguments: expected an array of at least 2 items, got 1 item; add 1 item",
        ),
        (
            json!({ "maxItems": 1 }),
            json!([1, 2, 3]),
            "arguments: expected an array of at most 1 item, got 3 items; remove 2 items",
        ),
        (
            json!({ "const": "x" }),
            json!("y"),
            "arguments: expected \"x\", got \"y\"; send \"x\"",
        ),
        (
            json!(false),
            json!(1),
            "arguments: expected no value, got 1; leave it out",
        ),
    ] {
        assert_eq!(texts(&schema, &value), [text]);
    }
}

#[test]
fn a_redacted_argument_is_never_repeated() {
    let schema = json!({
        "properties": {
            "token": { "type": "integer" },
            "login": { "type": "object", "properties": { "user": { "enum": ["alice", "bob"] }, "extra": { "additionalProperties": { "type": "integer" } } }, "additionalProperties": false },
            "city": { "type": "string" }
        }
    });
    let validator = Validator::compile(&schema).unwrap_or_else(|error| panic!("{error}"));
    let arguments = json!({
        "token": "hunter2",
        "login": { "user": "alicehunter2", "hunter2": 1, "extra": { "hunter2": "hunter2" } },
        "city": 7
    });
    let faults = validator
        .validate_redacted(&arguments, &["token", "login"])
        .unwrap_err();
    let texts: Vec<String> = faults.iter().map(ToString::to_string).collect();
    assert_eq!(
        texts,
        [
            "token: expected an integer, got [redacted]",
            "login.user: expected one of \"alice\", \"bob\", got [redacted]",
            "login.*: expected one of `user`, `extra`, got [redacted]",
            "login.extra.*: expected an integer, got [redacted]",
            "city: expected a string, got 7; put it in quotes",
        ]
    );
    assert!(!format!("{faults:?}").contains("hunter2"));
}
