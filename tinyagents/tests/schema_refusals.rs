//! Schemas that the validator refuses to compile.

#![allow(missing_docs, clippy::expect_used, clippy::panic)]

use serde_json::{Value, json};
use tinyagents::schema::{SchemaError, Validator};

fn refusal(schema: &Value) -> SchemaError {
    Validator::compile(schema).expect_err("the schema must be refused")
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
