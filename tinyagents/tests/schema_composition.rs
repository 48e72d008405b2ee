//! Schemas made of schemas: combinations, references, recursion.

#![allow(missing_docs)]

mod schema_support;

use schema_support::check;
use serde_json::{Value, json};

#[test]
fn boolean_schemas_allow_all_or_nothing() {
    let any = [json!(null), json!(1), json!("x"), json!([]), json!({})];
    check(&json!(true), &any, &[]);
    check(&json!({}), &any, &[]);
    check(&json!(false), &[], &any);
}

#[test]
fn combinations_count_the_branches_that_fit() {
    let integer = json!({ "type": "integer" });
    let at_least_two = json!({ "minimum": 2 });
    check(
        &json!({ "allOf": [integer, at_least_two] }),
        &[json!(2)],
        &[json!(1), json!(2.5)],
    );
    check(
        &json!({ "anyOf": [integer, at_least_two] }),
        &[json!(1), json!(2.5), json!(3)],
        &[json!(1.5)],
    );
    check(
        &json!({ "oneOf": [integer, at_least_two] }),
        &[json!(1), json!(2.5)],
        &[json!(3), json!(1.5)],
    );
    check(
        &json!({ "type": "string", "anyOf": [{ "maxLength": 2 }, { "minLength": 4 }] }),
        &[json!("ab"), json!("abcd")],
        &[json!("abc"), json!(3)],
    );
    check(&json!({ "anyOf": [true, false] }), &[json!(1)], &[]);
    check(&json!({ "oneOf": [true, true] }), &[], &[json!(1)]);
    check(
        &json!({ "anyOf": [{ "oneOf": [{ "allOf": [{ "type": "null" }] }] }] }),
        &[json!(null)],
        &[json!(1)],
    );
}

#[test]
fn references_lead_anywhere_in_the_schema() {
    check(
        &json!({
            "properties": {
                "a": { "$ref": "#/$defs/positive" },
                "b": { "$ref": "#/properties/a" },
                "c": { "$ref": "#/$defs/odd~1name~0%25" },
                "$ref": { "type": "string" }
            },
            "$defs": { "positive": { "exclusiveMinimum": 0 }, "odd/name~%": { "type": "null" } }
        }),
        &[json!({ "a": 1, "b": 2, "c": null, "$ref": "x" })],
        &[
            json!({ "a": 0 }),
            json!({ "b": 0 }),
            json!({ "c": 1 }),
            json!({ "$ref": 1 }),
        ],
    );
    check(
        &json!({ "definitions": { "a": { "$ref": "#/definitions/b" }, "b": { "type": "string" } }, "allOf": [{ "$ref": "#/definitions/a" }] }),
        &[json!("x")],
        &[json!(1)],
    );
    check(
        &json!({ "prefixItems": [{ "type": "string" }, { "$ref": "#/prefixItems/0" }] }),
        &[json!(["x", "y"])],
        &[json!(["x", 1])],
    );
    // What only looks like a reference is data.
    check(
        &json!({ "const": { "$ref": "#/nowhere" } }),
        &[json!({ "$ref": "#/nowhere" })],
        &[json!({})],
    );
}

#[test]
fn a_reference_adds_to_its_neighbours_since_draft_2019() {
    let with = |schema: Value| check(&schema, &[json!([1])], &[json!([1, 2]), json!("x")]);
    with(
        json!({ "$ref": "#/$defs/list", "maxItems": 1, "$defs": { "list": { "type": "array" } } }),
    );
    with(
        json!({ "$schema": "https://json-schema.org/draft/2020-12/schema", "$ref": "#/definitions/list", "maxItems": 1, "definitions": { "list": { "type": "array" } } }),
    );
}

#[test]
fn a_reference_stands_alone_in_older_drafts() {
    for schema in [
        json!({ "$schema": "http://json-schema.org/draft-07/schema#", "properties": { "a": { "$ref": "#/definitions/list", "maxItems": 1 } }, "definitions": { "list": { "type": "array" } } }),
        json!({ "properties": { "a": { "$ref": "#/definitions/list", "maxItems": 1 } }, "definitions": { "list": { "type": "array" } } }),
    ] {
        check(&schema, &[json!({ "a": [1, 2] })], &[json!({ "a": "x" })]);
    }
}

#[test]
fn recursive_schemas_end_where_the_value_ends() {
    let tree = json!({
        "type": "object",
        "properties": {
            "value": { "type": "integer" },
            "children": { "type": "array", "items": { "$ref": "#" } },
            "parent": { "anyOf": [{ "$ref": "#" }, { "type": "null" }] }
        },
        "required": ["value"],
        "additionalProperties": false
    });
    check(
        &tree,
        &[
            json!({ "value": 1, "children": [{ "value": 2, "parent": null, "children": [{ "value": 3 }] }] }),
        ],
        &[
            json!({ "value": 1, "children": [{ "value": 2, "children": [{ "value": "x" }] }] }),
            json!({ "value": 1, "parent": { "value": 1, "parent": { "value": 1, "parent": 3 } } }),
        ],
    );
}

#[test]
fn references_to_the_schemas_own_id_are_local() {
    check(
        &json!({
            "$id": "https://a.example/tree",
            "properties": { "next": { "$ref": "https://a.example/tree" }, "x": { "$ref": "https://a.example/tree#/$defs/x" } },
            "required": ["x"],
            "$defs": { "x": { "type": "integer" } }
        }),
        &[json!({ "x": 1, "next": { "x": 2 } })],
        &[json!({ "x": 1, "next": {} }), json!({ "x": "1" })],
    );
}

// With every keyword enforced none is passed over, and these branches are told apart as the standard says.
#[cfg(not(feature = "full-schema"))]
#[test]
fn a_keyword_that_is_passed_over_never_makes_one_of_refuse() {
    check(
        &json!({ "oneOf": [{ "type": "string", "format": "date" }, { "type": "string", "format": "uri" }] }),
        &[json!("2020-02-02")],
        &[json!(1)],
    );
    check(
        &json!({ "oneOf": [{ "items": { "not": { "type": "null" } } }, { "type": "array" }] }),
        &[json!([1]), json!([null])],
        &[],
    );
    check(
        &json!({ "oneOf": [{ "uniqueItems": true }, true, true] }),
        &[],
        &[json!(1)],
    );
}

#[cfg(feature = "full-schema")]
#[test]
fn a_one_of_counts_the_branches_that_every_keyword_leaves() {
    check(
        &json!({ "oneOf": [{ "items": { "not": { "type": "null" } } }, { "type": "array" }] }),
        &[json!([null])],
        &[json!([1])],
    );
}
