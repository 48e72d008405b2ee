//! How a declaration gets smaller.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod prepare_support;

use serde_json::json;
use tinyagents::ToolSchema;
use tinyagents::schema::{SchemaCompaction, SchemaPreparation, SchemaTarget};

use SchemaTarget::{Anthropic, Gemini, OpenAi};

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
