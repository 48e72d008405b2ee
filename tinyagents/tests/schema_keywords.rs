//! Every keyword that the validator enforces on one value, and what it does with the others.

#![allow(missing_docs, clippy::expect_used)]

mod schema_support;

use schema_support::check;
use serde_json::{Value, json};

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

#[cfg(not(feature = "full-schema"))]
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
