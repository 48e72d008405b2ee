//! What is found in a schema or a declaration, and told.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod prepare_support;

use serde_json::json;
use tinyagents::ToolSchema;
use tinyagents::schema::{FindingEffect, SchemaPreparation, SchemaTarget, lint, lint_tool};

use SchemaTarget::{Anthropic, Bedrock, Gemini, Mcp, OpenAi, OpenAiStrict, Portable};
use prepare_support::{argument, clean, with};

#[test]
fn values_that_are_no_texts_are_told_where_they_cannot_be_listed() {
    let numbers = json!({ "type": "integer", "enum": [1, 2, 3] });
    assert_eq!(argument(numbers.clone(), OpenAiStrict), numbers);
    let told = json!({ "type": "integer", "description": "One of: 1, 2, 3." });
    assert_eq!(argument(numbers, Gemini), told);
    assert_eq!(
        argument(json!({ "enum": ["a", "b", null] }), Gemini),
        json!({ "enum": ["a", "b"], "type": "string", "nullable": true })
    );
    assert_eq!(
        argument(json!({ "type": "string", "enum": ["", "x"] }), Gemini),
        json!({ "type": "string", "description": "One of: \"\", \"x\"." })
    );
    assert_eq!(
        argument(json!({ "const": 5 }), Gemini),
        json!({ "type": "integer", "description": "Must be 5." })
    );
}

#[test]
fn rules_that_cannot_be_expressed_are_told() {
    let number = json!({ "type": "number", "exclusiveMinimum": 0, "multipleOf": 0.5, "default": 1, "description": "Size." });
    assert_eq!(
        argument(number, Gemini),
        json!({ "type": "number", "description": "Size. Above 0. A multiple of 0.5. Default: 1." })
    );
    let text = json!({ "type": "string", "format": "uri", "minLength": 3 });
    assert_eq!(
        argument(text.clone(), OpenAiStrict),
        json!({ "type": "string", "description": "Format: uri. At least 3 characters." })
    );
    assert_eq!(
        argument(text, Gemini),
        json!({ "type": "string", "minLength": 3, "description": "Format: uri." })
    );
    let date = json!({ "type": "string", "format": "date-time" });
    for target in SchemaTarget::ALL {
        assert_eq!(argument(date.clone(), target), date, "{target}");
    }
}

#[test]
fn what_is_malformed_goes_and_is_found() {
    let schema = json!({ "type": "object", "properties": {
        "a": { "type": "string", "required": true, "minLength": -1, "enum": [], "pattern": 5 },
        "b": 7
    }, "required": "a" });
    assert_eq!(
        clean(&schema, Anthropic),
        json!({ "type": "object", "properties": { "a": { "type": "string" }, "b": {} } })
    );
    assert_eq!(lint(&schema, Anthropic).len(), 6);
}

#[test]
fn names_of_arguments_are_rewritten_where_they_are_refused() {
    let schema = json!({ "type": "object", "properties": {
        "$top": { "type": "integer" }, "_top": { "type": "string" }, "@x.y": { "type": "string" }
    }, "required": ["$top"] });
    for target in [Anthropic, Bedrock, Portable] {
        let prepared = clean(&schema, target);
        let names: Vec<&String> = prepared["properties"].as_object().unwrap().keys().collect();
        assert_eq!(names.len(), 3);
        assert!(
            names.contains(&&"_top".to_owned()) && names.contains(&&"_x.y".to_owned()),
            "{names:?}"
        );
        let renamed = prepared["required"][0].as_str().unwrap();
        assert!(renamed.starts_with("_top_"), "{renamed}");
        assert_eq!(
            prepared["properties"][renamed],
            json!({ "type": "integer" })
        );
    }
    assert_eq!(clean(&schema, OpenAi), schema);
    assert_eq!(lint(&schema, Anthropic).len(), 2);
}

#[test]
fn what_has_no_effect_is_told_apart_from_what_is_refused() {
    let findings = lint(&with(json!({ "type": "string", "nullable": true })), OpenAi);
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].effect, FindingEffect::Ignored);
    assert_eq!(findings[0].path, "/properties/a/nullable");
    let findings = lint(&with(json!({ "type": "string", "default": "x" })), Gemini);
    assert_eq!(findings[0].effect, FindingEffect::Ignored);
}

#[test]
fn a_whole_declaration_is_linted_by_name_and_description_too() {
    let tool = ToolSchema::new("pages.list", "x".repeat(1_025), json!({ "type": "object" }));
    let texts = |target| -> Vec<String> {
        lint_tool(&tool, target)
            .iter()
            .map(ToString::to_string)
            .collect()
    };
    assert_eq!(
        texts(OpenAi),
        [
            "#/name: refused: openai does not take \"pages.list\" as a tool's name",
            "#/description: refused: has 1025 characters, where 1024 are allowed",
            "#/parameters: refused: the root must have `properties`, be it without any"
        ]
    );
    assert!(texts(Mcp).is_empty());
    let preparation = SchemaPreparation {
        target: OpenAi,
        compaction: None,
    };
    assert_eq!(lint_tool(&preparation.prepare(&tool), OpenAi).len(), 1);
}
