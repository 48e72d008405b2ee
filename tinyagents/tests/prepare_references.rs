//! Roots and references: what a provider takes of them.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod prepare_support;

use serde_json::json;
use tinyagents::schema::{SchemaTarget, prepare};

use SchemaTarget::{Anthropic, Bedrock, Gemini, Mcp, OpenAi, OpenAiStrict, Portable};
use prepare_support::{clean, finders, found, with};

#[test]
fn a_union_at_the_root_becomes_one_object() {
    let by_branch = json!({ "type": "object", "oneOf": [
        { "properties": { "text": { "type": "string" }, "to": { "type": "string" } }, "required": ["text", "to"] },
        { "properties": { "file": { "type": "integer" }, "to": { "type": "string" } }, "required": ["file", "to"] }
    ] });
    let flat = json!({
        "type": "object",
        "properties": { "text": { "type": "string" }, "to": { "type": "string" }, "file": { "type": "integer" } },
        "required": ["to"]
    });
    for target in [OpenAi, Anthropic, Gemini, Bedrock, Portable] {
        assert_eq!(clean(&by_branch, target), flat, "{target}");
    }
    assert_eq!(clean(&by_branch, Mcp), by_branch);
    assert_eq!(
        found(&by_branch, Anthropic),
        ["#/oneOf: refused: `oneOf` is not allowed at the root; describe one plain object"]
    );

    let by_required = json!({
        "type": "object",
        "properties": { "paths": { "type": "string" }, "scopes": { "type": "string" } },
        "anyOf": [{ "required": ["paths"] }, { "required": ["scopes"] }]
    });
    let flat = json!({ "type": "object", "properties": by_required["properties"] });
    for target in [OpenAi, Anthropic, Gemini, Bedrock, Portable] {
        assert_eq!(clean(&by_required, target), flat, "{target}");
    }
}

#[test]
fn an_argument_that_branches_describe_differently_is_any_of_them() {
    let schema = json!({ "type": "object", "anyOf": [
        { "properties": { "id": { "type": "string" } } },
        { "properties": { "id": { "type": "integer" } } }
    ] });
    let merged = json!({ "anyOf": [{ "type": "string" }, { "type": "integer" }] });
    assert_eq!(clean(&schema, Anthropic)["properties"]["id"], merged);
}

#[test]
fn all_of_and_a_reference_at_the_root_are_taken_apart() {
    let schema = json!({
        "allOf": [{ "$ref": "#/$defs/Page" }, { "properties": { "query": { "type": "string" } }, "required": ["query"] }],
        "$defs": { "Page": { "type": "object", "properties": { "page": { "type": "integer" } } } }
    });
    let flat = json!({
        "type": "object",
        "properties": { "page": { "type": "integer" }, "query": { "type": "string" } },
        "required": ["query"]
    });
    assert_eq!(clean(&schema, OpenAi), flat);
    assert_eq!(clean(&schema, Gemini), flat);

    let referred = json!({
        "$ref": "#/definitions/Args",
        "definitions": { "Args": { "type": "object", "properties": { "a": { "type": "string" } } } }
    });
    for target in [OpenAi, Anthropic, Gemini, Bedrock, Mcp, Portable] {
        assert_eq!(
            clean(&referred, target),
            json!({ "type": "object", "properties": { "a": { "type": "string" } } }),
            "{target}"
        );
    }
}

#[test]
fn references_stay_where_they_may_and_give_way_where_not() {
    let schema = json!({
        "type": "object",
        "properties": { "from": { "$ref": "#/definitions/Place" }, "to": { "$ref": "#/definitions/Place" } },
        "required": ["from", "to"],
        "definitions": {
            "Place": { "type": "object", "properties": { "name": { "type": "string" } }, "required": ["name"] },
            "Unused": { "type": "string" }
        }
    });
    let kept = clean(&schema, Anthropic);
    assert_eq!(kept["properties"]["to"], json!({ "$ref": "#/$defs/Place" }));
    assert_eq!(
        kept["$defs"],
        json!({ "Place": schema["definitions"]["Place"] })
    );
    for target in [Gemini, Bedrock, Portable] {
        let inlined = clean(&schema, target);
        assert_eq!(
            inlined["properties"]["to"], schema["definitions"]["Place"],
            "{target}"
        );
        assert_eq!(inlined.get("$defs"), None);
    }
}

#[test]
fn a_recursive_schema_stays_recursive_or_is_unrolled_twice() {
    let schema = json!({
        "type": "object",
        "properties": { "root": { "$ref": "#/$defs/Node" } },
        "required": ["root"],
        "$defs": { "Node": { "type": "object", "properties": {
            "name": { "type": "string" },
            "children": { "type": "array", "items": { "$ref": "#/$defs/Node" } }
        }, "required": ["name", "children"] } }
    });
    assert_eq!(clean(&schema, OpenAi), schema);
    let strict = clean(&schema, OpenAiStrict);
    assert_eq!(
        strict["properties"]["root"],
        json!({ "$ref": "#/$defs/Node" })
    );
    assert_eq!(
        strict["$defs"]["Node"]["additionalProperties"],
        json!(false)
    );
    let unrolled = clean(&schema, Gemini);
    let second = &unrolled["properties"]["root"]["properties"]["children"]["items"];
    assert_eq!(second["properties"]["name"], json!({ "type": "string" }));
    assert_eq!(
        second["properties"]["children"]["items"],
        json!({ "type": "object" })
    );
}

#[test]
fn a_reference_that_leads_nowhere_or_in_a_circle_is_left_open() {
    for reference in [
        "https://example.com/schema.json",
        "#/$defs/Missing",
        "#anchor",
        "#/$defs/A",
    ] {
        let mut schema = with(json!({ "$ref": reference, "description": "It." }));
        schema["$defs"] = json!({ "A": { "$ref": "#/$defs/B" }, "B": { "$ref": "#/$defs/A" } });
        for target in SchemaTarget::ALL {
            clean(&schema, target);
        }
    }
    assert_eq!(
        finders(&with(json!({ "$ref": "https://example.com/x" }))).len(),
        7
    );
}

#[test]
fn what_stands_beside_a_reference_is_kept_where_it_may_stand_there() {
    let mut schema = with(json!({ "$ref": "#/$defs/Unit", "description": "Unit of the answer." }));
    schema["$defs"] =
        json!({ "Unit": { "type": "string", "enum": ["c", "f"], "description": "A unit." } });
    assert_eq!(
        clean(&schema, Anthropic)["properties"]["a"],
        json!({ "$ref": "#/$defs/Unit", "description": "Unit of the answer." })
    );
    let inlined =
        json!({ "type": "string", "enum": ["c", "f"], "description": "Unit of the answer." });
    assert_eq!(clean(&schema, OpenAiStrict)["properties"]["a"], inlined);
    assert_eq!(clean(&schema, Gemini)["properties"]["a"], inlined);
}

#[test]
fn the_older_drafts_ignore_what_stands_beside_a_reference_and_so_do_we() {
    let mut schema =
        with(json!({ "$ref": "#/definitions/N", "minimum": 5, "description": "How many." }));
    schema["definitions"] = json!({ "N": { "type": "integer" } });
    assert_eq!(
        clean(&schema, Gemini)["properties"]["a"],
        json!({ "type": "integer", "description": "How many." })
    );
}

#[test]
fn a_schema_of_doubling_references_stays_small() {
    let mut definitions =
        json!({ "d0": { "type": "object", "properties": { "x": { "type": "string" } } } });
    for level in 1..60 {
        let below = json!({ "$ref": format!("#/$defs/d{}", level - 1) });
        definitions[format!("d{level}")] =
            json!({ "type": "object", "properties": { "l": below, "r": below } });
    }
    let mut schema = with(json!({ "$ref": "#/$defs/d59" }));
    schema["$defs"] = definitions;
    for target in [Gemini, Bedrock, Portable] {
        assert!(
            prepare(&schema, target).to_string().len() < 10_000_000,
            "{target}"
        );
    }
    assert!(prepare(&schema, OpenAiStrict).to_string().len() < 100_000);
}
