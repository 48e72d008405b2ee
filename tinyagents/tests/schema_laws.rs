//! What holds for any schema and any value. `PROPTEST_CASES` sets how many are tried.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use tinyagents::schema::Validator;

const NAMES: [&str; 7] = ["a", "b", "ab", "next", "a~/b", "%", "ä"];

fn name() -> impl Strategy<Value = String> {
    prop::sample::select(&NAMES[..]).prop_map(String::from)
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-4_i64..4).prop_map(Value::from),
        (-4_i8..4).prop_map(|n| json!(f64::from(n) / 2.0)),
        prop::sample::select(vec![
            json!(-0.0),
            json!(0.1),
            json!(0.3),
            json!(1e2),
            json!(3e300),
            json!(u64::MAX),
            json!(i64::MIN),
            json!(9_007_199_254_740_993_i64),
            json!(9_007_199_254_740_992.0)
        ]),
        prop::sample::select(&["", "a", "ab", "ä", "a\u{301}", "💩b", "b\n", "5", "true"][..])
            .prop_map(Value::from),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((name(), inner), 0..4)
                .prop_map(|entries| entries.into_iter().collect::<Map<_, _>>().into()),
        ]
    })
}

/// A value that a schema lists.
fn listed() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => scalar(),
        1 => prop::collection::vec(scalar(), 0..3).prop_map(Value::from),
        1 => prop::collection::vec((name(), scalar()), 0..3).prop_map(|entries| entries.into_iter().collect::<Map<_, _>>().into()),
    ]
}

/// One keyword that looks only at the value itself.
fn plain_keyword() -> impl Strategy<Value = (String, Value)> {
    let ty = prop::sample::select(
        &[
            "null", "boolean", "integer", "number", "string", "array", "object",
        ][..],
    );
    let keyword = |name: &'static str| move |value: Value| (name.to_owned(), value);
    prop_oneof![
        ty.clone().prop_map(Value::from).prop_map(keyword("type")),
        prop::collection::vec(ty, 1..4)
            .prop_map(|mut names| {
                names.sort_unstable();
                names.dedup();
                names.into()
            })
            .prop_map(keyword("type")),
        prop::collection::vec(listed(), 1..4)
            .prop_map(Value::from)
            .prop_map(keyword("enum")),
        listed().prop_map(keyword("const")),
        (
            prop::sample::select(
                &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"][..]
            ),
            prop_oneof![
                3 => (-3_i64..3).prop_map(Value::from),
                1 => prop::sample::select(vec![json!(0.3), json!(-0.0), json!(100), json!(u64::MAX), json!(9_007_199_254_740_992_i64), json!(3e300)]),
            ]
        )
            .prop_map(|(name, n)| (name.to_owned(), n)),
        prop::sample::select(vec![json!(1), json!(2), json!(0.5), json!(1.5)])
            .prop_map(keyword("multipleOf")),
        (
            prop::sample::select(&["minLength", "maxLength", "minItems", "maxItems"][..]),
            0_u64..3
        )
            .prop_map(|(name, n)| (name.to_owned(), json!(n))),
        prop::sample::select(&["^a", "b$", "^[a-z]*$", "^.{1,2}$", "^\\S+$", "a|^b"][..])
            .prop_map(Value::from)
            .prop_map(keyword("pattern")),
        prop::collection::vec(name(), 0..3)
            .prop_map(|mut names| {
                names.sort_unstable();
                names.dedup();
                names.into()
            })
            .prop_map(keyword("required")),
    ]
}

fn plain_schema() -> impl Strategy<Value = Value> {
    prop_oneof![
        1 => any::<bool>().prop_map(Value::from),
        8 => prop::collection::vec(plain_keyword(), 0..3)
            .prop_map(|keywords| keywords.into_iter().collect::<Map<_, _>>().into()),
    ]
}

/// A schema that refers to itself only below a property or an item.
fn schema() -> impl Strategy<Value = Value> {
    let inner = plain_schema().prop_recursive(3, 16, 3, |inner| {
        let reference = prop_oneof![
            4 => inner.clone(),
            1 => Just(json!({ "$ref": "#" })),
            1 => Just(json!({ "$ref": "#/$defs/named" })),
            1 => (inner.clone(), prop::sample::select(&["#", "#/$defs/named"][..])).prop_map(|(plain, reference)| merged(plain, json!({ "$ref": reference }))),
        ];
        let lists = prop::collection::vec(inner.clone(), 1..3);
        prop_oneof![
            (
                prop::collection::vec((name(), reference.clone()), 0..3),
                reference.clone(),
                plain_schema()
            )
                .prop_map(|(properties, additional, plain)| {
                    let properties: Map<String, Value> = properties.into_iter().collect();
                    merged(
                        plain,
                        json!({ "properties": properties, "additionalProperties": additional }),
                    )
                }),
            (
                prop::collection::vec((prop::sample::select(&["^a", "b", "^$", "n.x"][..]), reference.clone()), 0..3),
                prop::collection::vec((name(), reference.clone()), 0..2),
                reference.clone(),
                plain_schema()
            )
                .prop_map(|(patterns, properties, additional, plain)| {
                    let patterns: Map<String, Value> = patterns.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect();
                    let properties: Map<String, Value> = properties.into_iter().collect();
                    merged(
                        plain,
                        json!({ "patternProperties": patterns, "properties": properties, "additionalProperties": additional }),
                    )
                }),
            (lists.clone(), reference, plain_schema()).prop_map(|(prefix, items, plain)| {
                merged(plain, json!({ "prefixItems": prefix, "items": items }))
            }),
            (
                prop::sample::select(&["allOf", "anyOf", "oneOf"][..]),
                lists,
                plain_schema()
            )
                .prop_map(|(keyword, list, plain)| merged(plain, json!({ (keyword): list }))),
        ]
    });
    (inner, plain_schema()).prop_map(|(schema, named)| match schema {
        Value::Object(mut map) => {
            map.insert(
                "$defs".into(),
                json!({ "unused": { "type": "null" }, "named": named }),
            );
            map.into()
        }
        other => other,
    })
}

fn merged(plain: Value, mut with: Value) -> Value {
    if let (Value::Object(plain), Value::Object(with)) = (plain, &mut with) {
        with.extend(plain);
    }
    with
}

/// Whether there is a number that a float doesn't hold exactly, or only just.
fn has_large(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.as_f64().is_none_or(|number| number.abs() > 1e15),
        Value::Array(items) => items.iter().any(has_large),
        Value::Object(object) => object.values().any(has_large),
        _ => false,
    }
}

proptest! {
    #[test]
    fn the_validator_agrees_with_an_independent_one(schema in schema(), value in value()) {
        // The other one divides floats.
        if schema.to_string().contains("multipleOf") && has_large(&value) {
            return Ok(());
        }
        // A schema that applies itself to the same value is refused here, and has no meaning.
        let Ok(ours) = Validator::compile(&schema) else { return Ok(()) };
        let theirs = jsonschema::validator_for(&schema).expect("a schema of well-formed keywords");
        let (ours, theirs) = (ours.is_valid(&value), theirs.is_valid(&value));
        if !cfg!(feature = "full-schema") && schema.to_string().contains("patternProperties") {
            // What is passed over is never the reason for a refusal.
            prop_assert!(ours || !theirs, "{schema} {value}");
        } else {
            prop_assert_eq!(ours, theirs, "{} {}", schema, value);
        }
    }

    #[test]
    fn a_report_is_empty_exactly_when_the_value_is_valid(schema in schema(), value in value()) {
        let Ok(validator) = Validator::compile(&schema) else { return Ok(()) };
        match validator.validate(&value) {
            Ok(()) => prop_assert!(validator.is_valid(&value)),
            Err(faults) => {
                prop_assert!(!validator.is_valid(&value));
                prop_assert!(!faults.is_empty(), "{schema} {value}");
                for fault in faults {
                    prop_assert!(schema.pointer(&fault.schema_path).is_some(), "{}", fault.schema_path);
                    prop_assert!(fault.to_string().chars().count() <= 240);
                }
            }
        }
    }

    #[test]
    fn any_json_compiles_or_is_refused(schema in value(), instance in value()) {
        if let Ok(validator) = Validator::compile(&schema) {
            let _ = validator.validate(&instance);
        }
    }

    #[test]
    fn decimal_multiples_are_exact(digits in 0_i64..1_000_000, places in 0_u32..6) {
        let validator = Validator::compile(&json!({ "multipleOf": format!("1e-{places}").parse::<f64>().expect("a number") }))
            .expect("a schema");
        let text = format!("{digits}e-{places}");
        let value: Value = serde_json::from_str(&text).expect("a number");
        prop_assert!(validator.is_valid(&value), "{}", text);
        let halfway: Value = serde_json::from_str(&format!("{digits}5e-{}", places + 1)).expect("a number");
        prop_assert!(!validator.is_valid(&halfway), "{}", halfway);
    }
}
