//! Every keyword that the validator enforces, and what it does with the others.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

use serde_json::{Value, json};
use tinyagents::schema::{SchemaError, Validator};

/// Asserts what a schema accepts and refuses, by both ways of asking.
fn check(schema: &Value, valid: &[Value], invalid: &[Value]) {
    let validator = Validator::compile(schema).unwrap_or_else(|error| panic!("{schema}: {error}"));
    for value in valid {
        assert_eq!(
            validator.validate(value),
            Ok(()),
            "{schema} must accept {value}"
        );
        assert!(validator.is_valid(value), "{schema} must accept {value}");
    }
    for value in invalid {
        assert!(!validator.is_valid(value), "{schema} must refuse {value}");
        let faults = validator.validate(value).expect_err("a refusal has faults");
        assert!(
            !faults.is_empty(),
            "{schema} refuses {value} without a word"
        );
    }
}

fn refusal(schema: &Value) -> SchemaError {
    Validator::compile(schema).expect_err("the schema must be refused")
}

#[test]
fn type_is_one_name_or_several() {
    let all = [
        ("null", json!(null)),
        ("boolean", json!(false)),
        ("integer", json!(7)),
        ("string", json!("")),
        ("array", json!([])),
        ("object", json!({})),
    ];
    for (name, own) in &all {
        let others: Vec<Value> = all
            .iter()
            .filter(|(other, _)| other != name)
            .map(|(_, value)| value.clone())
            .collect();
        check(&json!({ "type": name }), std::slice::from_ref(own), &others);
    }
    check(
        &json!({ "type": ["string", "null"] }),
        &[json!("x"), json!(null)],
        &[json!(1), json!([]), json!({})],
    );
    check(
        &json!({ "type": "number" }),
        &[json!(1), json!(1.5), json!(-1e300), json!(u64::MAX)],
        &[json!("1"), json!(true)],
    );
}

#[test]
fn an_integer_is_any_number_without_fraction() {
    check(
        &json!({ "type": "integer" }),
        &[
            json!(3),
            json!(3.0),
            json!(-0.0),
            json!(1e300),
            json!(u64::MAX),
            json!(i64::MIN),
        ],
        &[json!(3.1), json!(1e-9), json!("3")],
    );
    let beyond: Value =
        serde_json::from_str("12345678901234567890123456789012345678").expect("JSON");
    check(&json!({ "type": "integer" }), &[beyond], &[]);
}

#[test]
fn properties_are_checked_where_they_are_present() {
    check(
        &json!({ "properties": { "a": { "type": "integer" }, "b": { "type": "string" }, "c": false } }),
        &[
            json!({}),
            json!({ "a": 1, "b": "x" }),
            json!({ "b": "x", "a": 1, "other": [] }),
            json!([1]),
            json!("a"),
        ],
        &[
            json!({ "a": "x" }),
            json!({ "a": 1, "b": 2 }),
            json!({ "c": null }),
        ],
    );
}

#[test]
fn many_properties_are_found_like_few() {
    let names: Vec<String> = (0..60).map(|n| format!("field_{n}")).collect();
    let properties: Value = names
        .iter()
        .map(|name| (name.clone(), json!({ "type": "integer" })))
        .collect::<serde_json::Map<_, _>>()
        .into();
    let schema =
        json!({ "properties": properties, "required": names, "additionalProperties": false });
    let mut forwards = json!({});
    let mut backwards = json!({});
    for name in &names {
        forwards[name] = json!(1);
    }
    for name in names.iter().rev() {
        backwards[name] = json!(1);
    }
    let mut wrong = backwards.clone();
    wrong["field_30"] = json!("x");
    let mut unknown = backwards.clone();
    unknown["field_60"] = json!(1);
    let mut short = backwards.clone();
    short
        .as_object_mut()
        .expect("an object")
        .shift_remove("field_7");
    check(&schema, &[forwards, backwards], &[wrong, unknown, short]);
}

#[test]
fn required_names_must_be_there_whether_declared_or_not() {
    check(
        &json!({ "properties": { "a": {} }, "required": ["a", "b", "b"] }),
        &[
            json!({ "a": null, "b": 1 }),
            json!({ "b": 1, "c": 2, "a": 3 }),
            json!([]),
        ],
        &[
            json!({}),
            json!({ "a": 1 }),
            json!({ "b": 1 }),
            json!({ "c": 1, "d": 2 }),
        ],
    );
    check(
        &json!({ "required": ["b"], "additionalProperties": false }),
        &[json!([])],
        &[json!({ "b": 1 }), json!({})],
    );
    check(&json!({ "required": [] }), &[json!({})], &[]);
}

#[test]
fn additional_properties_are_refused_or_have_a_schema() {
    check(
        &json!({ "properties": { "a": {} }, "additionalProperties": false }),
        &[json!({}), json!({ "a": 1 }), json!(["b"])],
        &[
            json!({ "b": 1 }),
            json!({ "a": 1, "b": 1 }),
            json!({ "A": 1 }),
        ],
    );
    check(
        &json!({ "properties": { "a": {} }, "additionalProperties": { "type": "integer" } }),
        &[json!({ "a": "x", "b": 1 })],
        &[json!({ "b": "x" })],
    );
    check(
        &json!({ "additionalProperties": true }),
        &[json!({ "b": 1 })],
        &[],
    );
    // Only what stands beside it counts, not what a combination declares.
    check(
        &json!({ "allOf": [{ "properties": { "a": {} } }], "additionalProperties": false }),
        &[json!({})],
        &[json!({ "a": 1 })],
    );
}

#[test]
fn names_that_match_a_pattern_are_not_additional() {
    check(
        &json!({ "properties": { "a": {} }, "patternProperties": { "^x_": {} }, "additionalProperties": false }),
        &[json!({ "a": 1, "x_b": 2 })],
        &[json!({ "y": 1 }), json!({ "ax_": 1 })],
    );
}

#[test]
fn items_apply_after_the_prefix() {
    check(
        &json!({ "items": { "type": "integer" } }),
        &[json!([]), json!([1, 2.0]), json!({ "0": "x" })],
        &[json!([1, "x"]), json!([null])],
    );
    check(
        &json!({ "prefixItems": [{ "type": "string" }, { "type": "integer" }], "items": false }),
        &[json!([]), json!(["x"]), json!(["x", 1])],
        &[json!([1]), json!(["x", "y"]), json!(["x", 1, 2])],
    );
    check(
        &json!({ "prefixItems": [{ "type": "string" }], "items": { "type": "integer" } }),
        &[json!(["x", 1, 2])],
        &[json!(["x", 1, "y"])],
    );
    check(
        &json!({ "prefixItems": [{ "type": "string" }] }),
        &[json!(["x", null, 1])],
        &[json!([1])],
    );
    check(
        &json!({ "items": [{ "type": "string" }], "additionalItems": { "type": "integer" } }),
        &[json!(["x"]), json!(["x", 1])],
        &[json!([1]), json!(["x", "y"])],
    );
}

#[test]
fn arrays_have_a_size() {
    check(
        &json!({ "minItems": 1, "maxItems": 2.0 }),
        &[json!([1]), json!([1, 2]), json!("long text"), json!({})],
        &[json!([]), json!([1, 2, 3])],
    );
}

#[test]
fn enum_and_const_compare_by_value() {
    check(
        &json!({ "enum": ["a", 1, null, { "x": [1.0, 2] }] }),
        &[
            json!("a"),
            json!(1),
            json!(1.0),
            json!(null),
            json!({ "x": [1, 2.0] }),
        ],
        &[
            json!("A"),
            json!(true),
            json!(0),
            json!({ "x": [2, 1] }),
            json!({ "x": [1, 2], "y": 3 }),
        ],
    );
    check(
        &json!({ "const": -2.0 }),
        &[json!(-2), json!(-2.0)],
        &[json!(2), json!("-2")],
    );
    check(
        &json!({ "const": [false] }),
        &[json!([false])],
        &[json!([0]), json!([]), json!(false)],
    );
    check(
        &json!({ "const": null }),
        &[json!(null)],
        &[json!(0), json!("null")],
    );
    check(
        &json!({ "const": 9_007_199_254_740_992_i64 }),
        &[json!(9_007_199_254_740_992.0)],
        &[
            json!(9_007_199_254_740_991_i64),
            json!(9_007_199_254_740_993_i64),
        ],
    );
    check(&json!({ "enum": [] }), &[], &[json!(null), json!("a")]);
    check(
        &json!({ "enum": ["ä"] }),
        &[json!("\u{e4}")],
        &[json!("a\u{308}")],
    );
    check(
        &json!({ "enum": ["a", "b"], "const": "b" }),
        &[json!("b")],
        &[json!("a")],
    );
}

#[test]
fn numbers_have_a_range() {
    check(
        &json!({ "minimum": 1, "maximum": 14.0 }),
        &[json!(1), json!(14), json!(1.0), json!("0"), json!(null)],
        &[
            json!(0),
            json!(0.999),
            json!(14.001),
            json!(-1e300),
            json!(u64::MAX),
        ],
    );
    check(
        &json!({ "exclusiveMinimum": 0, "exclusiveMaximum": 1 }),
        &[json!(0.5), json!(1e-300)],
        &[json!(0), json!(1), json!(-0.0), json!(1.0)],
    );
    check(
        &json!({ "minimum": 5, "exclusiveMinimum": 2, "maximum": 8, "exclusiveMaximum": 8 }),
        &[json!(5), json!(7.9)],
        &[json!(4.9), json!(8)],
    );
    check(
        &json!({ "maximum": 18_446_744_073_709_551_614_u64 }),
        &[json!(18_446_744_073_709_551_614_u64)],
        &[json!(u64::MAX), json!(18_446_744_073_709_551_616.0)],
    );
}

#[test]
fn multiples_are_decimal() {
    check(
        &json!({ "multipleOf": 0.01 }),
        &[
            json!(0.07),
            json!(4.35),
            json!(19.99),
            json!(0),
            json!(-1.1),
            json!("x"),
        ],
        &[json!(0.075), json!(1e-9)],
    );
    check(
        &json!({ "multipleOf": 3 }),
        &[json!(9), json!(9.0), json!(-3)],
        &[json!(10), json!(9.5)],
    );
    check(
        &json!({ "type": "integer", "multipleOf": 0.123_456_789 }),
        &[json!(123_456_789)],
        &[json!(1e308)],
    );
}

#[test]
fn texts_have_a_length_in_characters() {
    check(
        &json!({ "minLength": 2, "maxLength": 3 }),
        &[json!("ab"), json!("äöü"), json!("💩💩💩"), json!(1)],
        &[
            json!(""),
            json!("a"),
            json!("💩"),
            json!("abcd"),
            json!("💩💩💩💩"),
        ],
    );
}

#[test]
fn patterns_match_anywhere_unless_anchored() {
    check(
        &json!({ "pattern": "b+" }),
        &[json!("abba"), json!(3)],
        &[json!("aca")],
    );
    check(
        &json!({ "pattern": "^[a-z]+-\\d{2}$" }),
        &[json!("ab-12")],
        &[json!("ab-123"), json!("AB-12"), json!("ab-12\n")],
    );
}

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
fn annotations_and_other_keywords_are_passed_over() {
    check(
        &json!({
            "title": "T", "description": "D", "default": 1, "examples": [1], "$comment": "c", "deprecated": true,
            "not": {}, "uniqueItems": true, "minProperties": 9, "propertyNames": false, "if": true, "then": false,
            "contains": false, "dependentRequired": { "a": ["b"] }, "unevaluatedProperties": false, "format": "email",
            "x-vendor": 1
        }),
        &[json!({ "a": 1 }), json!([1, 1]), json!("x"), json!({})],
        &[],
    );
}

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

#[test]
fn malformed_keywords_are_refused_with_their_place() {
    for (keyword, value) in [
        ("type", json!(1)),
        ("type", json!([])),
        ("properties", json!([])),
        ("required", json!("a")),
        ("required", json!([1])),
        ("enum", json!("a")),
        ("allOf", json!([])),
        ("anyOf", json!({})),
        ("oneOf", json!(1)),
        ("minimum", json!("1")),
        ("exclusiveMaximum", json!(true)),
        ("multipleOf", json!(0)),
        ("minLength", json!(-1)),
        ("maxItems", json!(1.5)),
        ("pattern", json!(1)),
        ("$ref", json!(1)),
    ] {
        let mut inner = json!({});
        inner[keyword] = value;
        let schema = json!({ "properties": { "a/b": inner } });
        match refusal(&schema) {
            SchemaError::InvalidKeyword {
                path,
                keyword: named,
                ..
            } => {
                assert_eq!(
                    (path.as_str(), named),
                    ("/properties/a~1b", keyword),
                    "{schema}"
                );
            }
            other => panic!("{schema}: {other}"),
        }
    }
    assert!(matches!(
        refusal(&json!({ "items": { "type": "dict" } })),
        SchemaError::UnknownType { path, name } if path == "/items" && name == "dict"
    ));
    assert!(matches!(
        refusal(&json!({ "pattern": "(?=a)" })),
        SchemaError::InvalidPattern { .. }
    ));
    assert!(matches!(
        refusal(&json!({ "additionalProperties": "no" })),
        SchemaError::NotASchema { path, found: "a string" } if path == "/additionalProperties"
    ));
    assert!(matches!(
        refusal(&json!(null)),
        SchemaError::NotASchema { .. }
    ));
}

#[test]
fn references_that_cannot_be_followed_are_refused() {
    for reference in [
        "https://a.example/s",
        "other.json",
        "#anchor",
        "file:///etc/passwd",
    ] {
        assert!(matches!(
            refusal(&json!({ "items": { "$ref": reference } })),
            SchemaError::ExternalReference { path, reference: written } if path == "/items" && written == reference
        ));
    }
    assert!(matches!(
        refusal(&json!({ "$ref": "#/$defs/missing" })),
        SchemaError::UnresolvedReference { .. }
    ));
    // `#` means something else below a second `$id`.
    assert!(matches!(
        refusal(
            &json!({ "properties": { "a": { "$id": "https://b.example/s", "items": { "$ref": "#/$defs/x" } } }, "$defs": { "x": {} } })
        ),
        SchemaError::ExternalReference { .. }
    ));
    for schema in [
        json!({ "$ref": "#" }),
        json!({ "properties": { "a": { "$ref": "#/$defs/a" } }, "$defs": { "a": { "$ref": "#/$defs/b" }, "b": { "$ref": "#/$defs/a" } } }),
        json!({ "oneOf": [{ "type": "null" }, { "$ref": "#" }] }),
    ] {
        assert!(
            matches!(refusal(&schema), SchemaError::ReferenceLoop { .. }),
            "{schema}"
        );
    }
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
