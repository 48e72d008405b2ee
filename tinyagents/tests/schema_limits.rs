//! What schemas and arguments built to exhaust the validator come to.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

use serde_json::{Map, Value, json};
use tinyagents::schema::{
    MAX_ARGUMENT_DEPTH, MAX_COMPOSITION, MAX_FAULTS, MAX_SCHEMA_DEPTH, MAX_SCHEMA_NODES,
    SchemaError, Validator,
};

fn compile(schema: &Value) -> Validator {
    Validator::compile(schema).unwrap_or_else(|error| panic!("{error}"))
}

/// `{ "next": { "next": … leaf } }`, with `levels` objects.
fn chain(levels: usize, leaf: Value) -> Value {
    (0..levels).fold(leaf, |inner, _| json!({ "next": inner }))
}

#[test]
fn arguments_are_as_deep_as_the_limit_and_no_deeper() {
    for schema in [
        json!({ "properties": { "next": { "$ref": "#" } } }),
        json!({}),
    ] {
        let validator = compile(&schema);
        assert!(validator.is_valid(&chain(MAX_ARGUMENT_DEPTH, json!(1))));
        let too_deep = chain(MAX_ARGUMENT_DEPTH + 1, json!(1));
        assert!(!validator.is_valid(&too_deep));
        let faults = validator.validate(&too_deep).unwrap_err();
        assert_eq!(
            faults[0].to_string(),
            "arguments: expected at most 128 levels of nesting, got more levels; send flatter arguments"
        );
    }
}

/// A test thread has 2 MiB of stack, as the threads of a runtime do.
#[test]
fn the_deepest_arguments_under_the_most_combined_schema_fit_the_stack() {
    for composition in [0, 3, 4, 15, MAX_COMPOSITION] {
        let mut schema =
            json!({ "type": ["object", "integer"], "properties": { "next": { "$ref": "#" } } });
        for level in 0..composition {
            let combination = ["allOf", "anyOf", "oneOf"][level % 3];
            schema = json!({ (combination): [schema] });
        }
        let validator = compile(&schema);
        let levels = validator.max_depth();
        assert!(levels == MAX_ARGUMENT_DEPTH || (composition > 3 && levels >= 16));
        assert!(validator.is_valid(&chain(levels, json!(1))));
        let faults = validator.validate(&chain(levels, json!("x"))).unwrap_err();
        assert_eq!(faults.len(), 1);
        assert_eq!(faults[0].path, vec!["next"; levels].join("."));
    }
}

#[test]
fn a_schema_combined_once_more_is_refused() {
    let combined = |levels: usize| {
        (0..levels).fold(
            json!({ "type": "string" }),
            |inner, _| json!({ "allOf": [inner] }),
        )
    };
    compile(&combined(MAX_COMPOSITION));
    assert!(matches!(
        Validator::compile(&combined(MAX_COMPOSITION + 1)),
        Err(SchemaError::TooComposed { .. })
    ));
}

#[test]
fn a_long_chain_of_references_costs_no_composition() {
    let mut definitions = Map::new();
    for n in 0..1000 {
        definitions.insert(
            format!("d{n}"),
            json!({ "$ref": format!("#/$defs/d{}", n + 1) }),
        );
    }
    definitions.insert("d1000".into(), json!({ "type": "string" }));
    let validator = compile(&json!({ "$ref": "#/$defs/d0", "$defs": definitions }));
    assert!(validator.is_valid(&json!("x")) && !validator.is_valid(&json!(1)));
}

#[test]
fn a_schema_that_is_too_deep_or_too_large_is_refused() {
    let deep = (0..MAX_SCHEMA_DEPTH).fold(json!({}), |inner, _| json!({ "items": inner }));
    assert!(matches!(
        Validator::compile(&deep),
        Err(SchemaError::TooDeep { .. })
    ));
    let deep_constant = (0..MAX_SCHEMA_DEPTH).fold(json!(1), |inner, _| json!([inner]));
    assert!(matches!(
        Validator::compile(&json!({ "const": deep_constant })),
        Err(SchemaError::TooDeep { .. })
    ));
    let wide = vec![json!({ "type": "string" }); MAX_SCHEMA_NODES];
    assert!(matches!(
        Validator::compile(&json!({ "prefixItems": wide })),
        Err(SchemaError::TooLarge { .. })
    ));
}

/// Without remembering, each of these would take 2^64 steps or more.
#[test]
fn what_would_be_tried_over_and_over_is_tried_once() {
    let leaf_wrong = chain(100, json!("x"));
    let leaf_right = chain(100, json!(1));
    for combination in ["allOf", "anyOf"] {
        let mut next = json!({});
        next[combination] = json!([{ "$ref": "#" }, { "$ref": "#" }, { "$ref": "#" }]);
        let validator =
            compile(&json!({ "type": ["object", "integer"], "properties": { "next": next } }));
        assert!(validator.is_valid(&leaf_right));
        assert!(!validator.is_valid(&leaf_wrong), "{combination}");
        let faults = validator.validate(&leaf_wrong).unwrap_err();
        assert!(
            !faults.is_empty() && faults.len() < 10,
            "{combination}: {}",
            faults.len()
        );
    }
    // The same through a chain of definitions, without recursion.
    let mut definitions = Map::new();
    for n in 0..100 {
        let next = json!({ "$ref": format!("#/$defs/d{}", n + 1) });
        definitions.insert(
            format!("d{n}"),
            json!({ "properties": { "next": { "allOf": [next, next] } } }),
        );
    }
    definitions.insert("d100".into(), json!({ "type": "integer" }));
    let validator = compile(&json!({ "$ref": "#/$defs/d0", "$defs": definitions }));
    assert!(validator.is_valid(&leaf_right) && !validator.is_valid(&leaf_wrong));
    assert_eq!(validator.validate(&leaf_wrong).unwrap_err().len(), 1);
}

#[test]
fn exactly_one_of_two_recursive_alternatives_is_decided_at_once() {
    let schema = json!({
        "$ref": "#/$defs/a",
        "$defs": {
            "a": { "type": "object", "properties": { "next": { "oneOf": [{ "$ref": "#/$defs/a" }, { "$ref": "#/$defs/b" }] } } },
            "b": { "type": "object", "properties": { "next": { "oneOf": [{ "$ref": "#/$defs/b" }, { "$ref": "#/$defs/a" }] } }, "required": ["next"] }
        }
    });
    let validator = compile(&schema);
    let _ = validator.is_valid(&chain(100, json!({})));
    let _ = validator.validate(&chain(100, json!(1)));
}

#[test]
fn a_report_ends_at_its_limit() {
    let validator = compile(&json!({ "items": { "type": "string" } }));
    let numbers = Value::from((0..2 * MAX_FAULTS).collect::<Vec<_>>());
    assert_eq!(validator.validate(&numbers).unwrap_err().len(), MAX_FAULTS);
}

#[test]
fn a_large_value_costs_no_more_than_its_size() {
    let validator = compile(&json!({
        "items": { "anyOf": [{ "type": "null" }, { "$ref": "#/$defs/point" }] },
        "$defs": { "point": { "properties": { "x": { "type": "number" }, "next": { "$ref": "#/$defs/point" } } } }
    }));
    let mut points = vec![json!({ "x": 1.5, "next": { "x": 2 } }); 100_000];
    assert!(validator.is_valid(&Value::from(points.clone())));
    points.push(json!({ "x": "wrong" }));
    let faults = validator.validate(&Value::from(points)).unwrap_err();
    assert_eq!(faults[0].path, "[100000].x");
}

#[test]
fn branches_that_fail_inside_a_value_use_up_no_depth() {
    let branch = |kind: &str| json!({ "type": "object", "properties": { "at": { "properties": { "kind": { "const": kind } } } } });
    let validator =
        compile(&json!({ "items": { "anyOf": [branch("a"), branch("b"), branch("c")] } }));
    let recursive = compile(&json!({
        "items": { "oneOf": [branch("a"), branch("b"), { "$ref": "#/$defs/c" }, { "type": "array", "prefixItems": [{ "$ref": "#/$defs/c" }] }] },
        "$defs": { "c": { "type": "object", "properties": { "at": { "properties": { "kind": { "const": "c" } } }, "next": { "$ref": "#/$defs/c" } } } }
    }));
    let many = Value::from(vec![json!({ "at": { "kind": "c" } }); 1000]);
    assert_eq!(validator.validate(&many), Ok(()));
    assert!(!recursive.is_valid(&json!([{ "at": { "kind": "d" } }])));
    let many = Value::from(vec![json!([{ "at": { "kind": "c" } }]); 1000]);
    assert!(recursive.is_valid(&many));
}

#[test]
fn endless_texts_and_names_do_not_reach_the_report() {
    let long = "é".repeat(1_000_000);
    let validator = compile(
        &json!({ "properties": { "a": { "maxLength": 3, "pattern": "^a" }, "b": { "enum": ["x", "y"] } }, "additionalProperties": false }),
    );
    let faults = validator
        .validate(&json!({ "a": long, "b": long, (long.clone()): 1 }))
        .unwrap_err();
    assert_eq!(faults.len(), 3);
    for fault in faults {
        assert!(fault.to_string().chars().count() <= 240);
        assert!(fault.got.len() + fault.expected.len() + fault.fix.len() < 1000);
    }
}
