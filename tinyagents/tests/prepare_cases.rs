//! What becomes of one schema for one provider, and what is found in it as it is.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

use serde_json::{Value, json};
use tinyagents::ToolSchema;
use tinyagents::schema::{
    FindingEffect, SchemaCompaction, SchemaPreparation, SchemaTarget, lint, lint_tool, prepare,
};

use SchemaTarget::{Anthropic, Bedrock, Gemini, Mcp, OpenAi, OpenAiStrict, Portable};

/// A tool's schema with one argument.
fn with(argument: Value) -> Value {
    let mut schema = json!({ "type": "object", "properties": {}, "required": ["a"] });
    schema["properties"]["a"] = argument;
    schema
}

/// What becomes of a required argument; it must be clean afterwards.
fn argument(argument: Value, target: SchemaTarget) -> Value {
    clean(&with(argument), target)["properties"]["a"].clone()
}

fn clean(schema: &Value, target: SchemaTarget) -> Value {
    let prepared = prepare(schema, target);
    assert_eq!(lint(&prepared, target), [], "{target}: {prepared}");
    assert_eq!(prepare(&prepared, target), prepared, "{target}");
    prepared
}

fn found(schema: &Value, target: SchemaTarget) -> Vec<String> {
    lint(schema, target)
        .iter()
        .map(ToString::to_string)
        .collect()
}

/// Which providers find something.
fn finders(schema: &Value) -> Vec<SchemaTarget> {
    SchemaTarget::ALL
        .into_iter()
        .filter(|target| !lint(schema, *target).is_empty())
        .collect()
}

#[test]
fn a_plain_closed_schema_is_changed_only_where_it_must_be() {
    let schema = json!({
        "type": "object",
        "properties": { "city": { "type": "string", "description": "City." } },
        "required": ["city"],
        "additionalProperties": false
    });
    for target in [OpenAi, OpenAiStrict, Anthropic, Mcp] {
        assert_eq!(clean(&schema, target), schema, "{target}");
    }
    let mut open = schema.clone();
    open.as_object_mut().unwrap().remove("additionalProperties");
    for target in [Gemini, Bedrock, Portable] {
        assert_eq!(clean(&schema, target), open, "{target}");
    }
    assert_eq!(finders(&schema), [Portable, Gemini, Bedrock]);
}

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
fn an_array_says_what_its_items_are() {
    let array = json!({ "type": "array" });
    assert_eq!(
        argument(array.clone(), OpenAi),
        json!({ "type": "array", "items": {} })
    );
    assert_eq!(argument(array.clone(), Anthropic), array);
    assert!(argument(array.clone(), Gemini)["items"]["anyOf"].is_array());
    assert_eq!(
        argument(json!({ "type": ["string", "array"] }), OpenAi),
        json!({ "type": ["string", "array"], "items": {} })
    );
    assert_eq!(
        finders(&with(array)),
        [Portable, OpenAi, OpenAiStrict, Gemini]
    );
}

#[test]
fn a_tuple_of_an_old_draft_is_one_of_the_new() {
    let tuple = json!({ "type": "array", "items": [{ "type": "string" }, { "type": "number" }], "additionalItems": false });
    assert_eq!(
        argument(tuple.clone(), Anthropic),
        json!({ "type": "array", "prefixItems": [{ "type": "string" }, { "type": "number" }], "items": false })
    );
    assert_eq!(
        argument(tuple, Gemini),
        json!({ "type": "array", "items": { "anyOf": [{ "type": "string" }, { "type": "number" }] } })
    );
}

#[test]
fn lists_of_types_are_written_as_the_provider_takes_them() {
    let nullable = json!({ "type": ["string", "null"], "maxLength": 5, "description": "Name." });
    for target in [OpenAi, Anthropic, Bedrock, Mcp] {
        assert_eq!(argument(nullable.clone(), target), nullable, "{target}");
    }
    assert_eq!(
        argument(nullable.clone(), Gemini),
        json!({ "type": "string", "nullable": true, "maxLength": 5, "description": "Name." })
    );
    assert_eq!(
        argument(nullable.clone(), Portable),
        json!({ "anyOf": [{ "type": "string", "maxLength": 5, "description": "Name." }, { "type": "null" }] })
    );
    assert_eq!(
        argument(nullable, OpenAiStrict),
        json!({ "type": ["string", "null"], "description": "Name. At most 5 characters." })
    );
    let several = json!({ "type": ["string", "integer", "null"], "minimum": 1 });
    assert_eq!(
        argument(several, Gemini),
        json!({ "anyOf": [{ "type": "string", "nullable": true }, { "type": "integer", "minimum": 1 }] })
    );
}

#[test]
fn a_union_with_null_is_nullable_for_gemini_alone() {
    let union = json!({ "anyOf": [{ "type": "array", "items": { "type": "integer" } }, { "type": "null" }], "description": "Where." });
    assert_eq!(argument(union.clone(), OpenAiStrict), union);
    assert_eq!(
        argument(union.clone(), Gemini),
        json!({ "type": "array", "items": { "type": "integer" }, "nullable": true, "description": "Where." })
    );
    assert_eq!(
        argument(union, Portable),
        json!({ "anyOf": [
            { "type": "array", "items": { "type": "integer" }, "description": "Where." }, { "type": "null" }
        ] })
    );
}

#[test]
fn a_union_of_objects_keeps_its_branches() {
    let union = json!({ "oneOf": [
        { "type": "object", "properties": { "type": { "const": "until" }, "date": { "type": "string" } }, "required": ["type"] },
        { "type": "object", "properties": { "type": { "const": "for" }, "minutes": { "type": "number" } }, "required": ["type"] }
    ] });
    assert_eq!(argument(union.clone(), OpenAi), union);
    let gemini = argument(union.clone(), Gemini);
    assert_eq!(
        gemini["anyOf"][1]["properties"]["type"],
        json!({ "type": "string", "enum": ["for"] })
    );
    let strict = argument(union, OpenAiStrict);
    assert_eq!(
        strict["anyOf"][0],
        json!({
            "type": "object",
            "properties": { "type": { "type": "string", "const": "until" }, "date": { "type": ["string", "null"] } },
            "required": ["type", "date"],
            "additionalProperties": false
        })
    );
}

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
fn draft_four_bounds_become_numbers() {
    assert_eq!(
        argument(
            json!({ "type": "number", "minimum": 1, "exclusiveMinimum": true }),
            Anthropic
        ),
        json!({ "type": "number", "exclusiveMinimum": 1 })
    );
}

#[test]
fn a_schema_without_a_type_says_one_where_it_must() {
    assert_eq!(argument(json!({}), Anthropic), json!({}));
    assert_eq!(
        argument(json!({ "description": "Anything." }), OpenAiStrict),
        json!({ "type": ["string", "number", "boolean", "null"], "description": "Anything." })
    );
    assert!(argument(json!({}), Gemini)["anyOf"].is_array());
    assert_eq!(
        argument(json!({ "properties": { "x": { "minimum": 1 } } }), Gemini),
        json!({ "type": "object", "properties": { "x": { "type": "number", "minimum": 1 } } })
    );
}

#[test]
fn boolean_schemas_of_arguments_become_objects() {
    let schema = json!({ "type": "object", "properties": { "any": true, "never": false } });
    assert_eq!(
        clean(&schema, Mcp)["properties"],
        json!({ "any": {}, "never": { "not": {} } })
    );
    assert_eq!(
        clean(&schema, Gemini)["properties"]["never"],
        json!({ "type": "null" })
    );
    assert_eq!(
        clean(&schema, OpenAiStrict)["required"],
        json!(["any", "never"])
    );
}

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

#[test]
fn a_required_argument_that_is_not_declared_is_declared() {
    let schema = json!({ "type": "object", "properties": {}, "required": ["id"] });
    assert!(clean(&schema, Gemini)["properties"]["id"]["anyOf"].is_array());
    assert_eq!(
        found(&schema, Gemini),
        ["#/required/0: refused: `id` is required, so it must be in `properties` too"]
    );
}

#[test]
fn types_of_other_languages_become_those_of_json() {
    let schema = json!({ "type": "dict", "properties": {
        "ratio": { "type": "float" },
        "names": { "type": "ArrayList", "items": { "type": "String" } },
        "any": { "type": "any" },
        "pair": { "type": "tuple", "items": { "type": "long" } },
        "on": { "type": "Boolean" }
    }, "required": ["ratio"] });
    assert_eq!(
        clean(&schema, Anthropic),
        json!({ "type": "object", "properties": {
            "ratio": { "type": "number" },
            "names": { "type": "array", "items": { "type": "string" } },
            "any": {},
            "pair": { "type": "array", "items": { "type": "integer" } },
            "on": { "type": "boolean" }
        }, "required": ["ratio"] })
    );
    assert_eq!(finders(&schema).len(), 7);
    assert!(found(&schema, Mcp).contains(
        &"#/properties/ratio/type: refused: `type` must be the name of a JSON type, or a list of some".to_owned()
    ));
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
fn anything_at_all_can_be_prepared() {
    for schema in [
        json!(null),
        json!(true),
        json!("x"),
        json!([]),
        json!({}),
        json!({ "type": "string" }),
    ] {
        for target in SchemaTarget::ALL {
            assert_eq!(
                clean(&schema, target)["type"],
                "object",
                "{schema} for {target}"
            );
        }
        if !schema.is_object() {
            assert_eq!(
                found(&schema, Mcp),
                ["#: refused: a tool's schema must be a JSON object"]
            );
        }
    }
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

/// A declaration with everything that a ladder can take away.
fn wordy() -> ToolSchema {
    let mut properties = json!({});
    for name in ["alpha", "beta", "gamma"] {
        properties[name] = json!({
            "type": "object",
            "title": "A title",
            "description": format!("What {name} is. {}", "Words. ".repeat(40)),
            "properties": { "inner": {
                "type": "array",
                "description": "Inner words. ".repeat(20),
                "items": { "type": "object", "properties": { "deep": { "type": "string", "pattern": "^x" } } }
            } }
        });
    }
    let schema = json!({ "type": "object", "properties": properties, "required": ["alpha"] });
    ToolSchema::new("wordy", "Description. ".repeat(1_000), schema)
}

#[test]
fn the_ladder_takes_the_least_valuable_first() {
    let tool = wordy();
    let at = |max_schema_bytes| {
        let compaction = SchemaCompaction {
            max_schema_bytes,
            ..SchemaCompaction::THIRD_PARTY
        };
        let small = SchemaPreparation {
            target: Anthropic,
            compaction: Some(compaction),
        }
        .prepare(&tool);
        assert!(small.parameters.to_string().len() <= max_schema_bytes);
        small.parameters.to_string()
    };
    let all = at(100_000);
    assert!(all.contains("A title") && all.contains("Inner words") && all.contains("pattern"));
    let untitled = at(tool.parameters.to_string().len() - 1);
    assert!(!untitled.contains("A title") && untitled.contains("Inner words"));
    let less = at(1_800);
    assert!(!less.contains("Inner words. Inner words. Inner words. Inner words. Inner words. Inner words. Inner words. Inner words. Inner words. Inner"));
    assert!(less.contains("What alpha is."));
    let little = at(900);
    assert!(
        !little.contains("Inner words")
            && little.contains("What alpha is.")
            && little.contains("deep")
    );
    let least = at(140);
    assert!(
        ["alpha", "beta", "gamma"]
            .iter()
            .all(|name| least.contains(name))
    );
    assert!(!least.contains("What"));
}

#[test]
fn a_description_is_cut_on_a_character() {
    let mut tool = wordy();
    tool.description = "ü".repeat(5_000);
    let compaction = Some(SchemaCompaction::THIRD_PARTY);
    let small = SchemaPreparation {
        target: Gemini,
        compaction,
    }
    .prepare(&tool);
    assert!(small.description.len() <= 5_000 && small.description.ends_with('…'));
    let small = SchemaPreparation {
        target: OpenAi,
        compaction,
    }
    .prepare(&tool);
    assert_eq!(small.description.chars().count(), 1_024);
}

#[test]
fn names_alone_may_be_too_large_and_stay() {
    let mut properties = json!({});
    for number in 0..100 {
        properties[format!("argument_{number}")] =
            json!({ "type": "string", "description": "Words." });
    }
    let tool = ToolSchema::new(
        "many",
        "Many.",
        json!({ "type": "object", "properties": properties }),
    );
    for target in SchemaTarget::ALL {
        let compaction = SchemaCompaction {
            max_description_bytes: 0,
            max_schema_bytes: 10,
        };
        let preparation = SchemaPreparation {
            target,
            compaction: Some(compaction),
        };
        let small = preparation.prepare(&tool);
        assert_eq!(
            small.parameters["properties"].as_object().unwrap().len(),
            100,
            "{target}"
        );
        assert!(!small.parameters.to_string().contains("Words"));
        assert_eq!(small.description, "");
        assert_eq!(preparation.prepare(&small), small);
    }
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
