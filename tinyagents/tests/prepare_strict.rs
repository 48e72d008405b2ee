//! OpenAI's strict mode.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod prepare_support;

use serde_json::json;
use tinyagents::schema::SchemaTarget;

use SchemaTarget::OpenAiStrict;
use prepare_support::{clean, found};

#[test]
fn strict_mode_closes_every_object_and_requires_everything() {
    let schema = json!({
        "type": "object",
        "properties": {
            "query": { "type": "string", "default": "x" },
            "kind": { "type": "string", "enum": ["a", "b"] },
            "fixed": { "const": "z" },
            "page": { "$ref": "#/$defs/Page" },
            "either": { "anyOf": [{ "type": "string" }, { "type": "integer" }] },
            "filter": { "type": "object", "properties": { "by": { "type": "string" } } }
        },
        "required": ["query"],
        "$defs": { "Page": { "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"] } }
    });
    let by = json!({ "by": { "type": ["string", "null"] } });
    assert_eq!(
        clean(&schema, OpenAiStrict),
        json!({
            "type": "object",
            "properties": {
                "query": { "type": "string", "description": "Default: \"x\"." },
                "kind": { "type": ["string", "null"], "enum": ["a", "b", null] },
                "fixed": { "type": ["string", "null"], "enum": ["z", null] },
                "page": { "anyOf": [{ "$ref": "#/$defs/Page" }, { "type": "null" }] },
                "either": { "anyOf": [{ "type": "string" }, { "type": "integer" }, { "type": "null" }] },
                "filter": { "type": ["object", "null"], "properties": by, "required": ["by"], "additionalProperties": false }
            },
            "required": ["query", "kind", "fixed", "page", "either", "filter"],
            "additionalProperties": false,
            "$defs": { "Page": {
                "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"], "additionalProperties": false
            } }
        })
    );
    let refused = found(&schema, OpenAiStrict);
    for expected in [
        "#/properties/query/default: refused: `default` is not taken by openai_strict",
        "#: refused: an object must be closed; add `\"additionalProperties\": false`",
        "#/properties/kind: refused: must be required; let it be `null` if it is optional",
    ] {
        assert!(
            refused.iter().any(|text| text == expected),
            "{expected}: {refused:?}"
        );
    }
}

#[test]
fn strict_mode_goes_ten_objects_deep() {
    let mut schema = json!({ "type": "object", "properties": { "x": { "type": "string" } } });
    for _ in 0..20 {
        schema = json!({ "type": "object", "properties": { "x": schema } });
    }
    clean(&schema, OpenAiStrict);
    assert!(
        found(&schema, OpenAiStrict)
            .iter()
            .any(|text| text.contains("levels of objects"))
    );
}

#[test]
fn strict_mode_reports_what_is_too_large_for_it() {
    let values: Vec<String> = (0..1_001).map(|number| format!("v{number}")).collect();
    let schema = json!({
        "type": "object",
        "properties": { "a": { "type": "string", "enum": values } },
        "required": ["a"],
        "additionalProperties": false
    });
    assert_eq!(
        found(&schema, OpenAiStrict),
        ["#: refused: 1001 values of `enum`, where 1000 are allowed"]
    );
}
