//! What becomes of one schema for one provider.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod prepare_support;

use serde_json::{Value, json};
use tinyagents::schema::{SchemaTarget, Validator};

use SchemaTarget::{Anthropic, Bedrock, Gemini, Mcp, OpenAi, OpenAiStrict, Portable};
use prepare_support::{argument, clean, finders, found, with};

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
fn an_argument_that_is_a_union_beside_its_own_in_one_variant_is_anything_else_in_another() {
    let variant = |tag: &str, c: Value| json!({ "properties": { "type": { "const": tag }, "c": c }, "required": ["type", "c"] });
    let shape = json!({
        "type": "object", "properties": { "size": { "type": "integer" } }, "required": ["size"],
        "anyOf": [{ "properties": { "r": { "type": "number" } } }, { "properties": { "a": { "type": "number" } } }]
    });
    let branches = [
        variant("x", shape),
        variant("y", json!({ "type": "integer" })),
    ];
    let schema = json!({ "type": "object", "properties": {}, "oneOf": branches });
    for target in SchemaTarget::ALL {
        let prepared = Validator::compile(&clean(&schema, target)).unwrap();
        assert!(
            prepared.is_valid(&json!({ "type": "y", "c": 2 })),
            "{target}"
        );
        assert!(
            !prepared.is_valid(&json!({ "type": "y", "c": "two" })),
            "{target}"
        );
    }
}
