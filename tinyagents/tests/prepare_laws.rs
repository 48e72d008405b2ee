//! What holds for any schema, prepared. `PROPTEST_CASES` sets how many are tried.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod prepare_shapes;
mod prepare_support;

use prepare_shapes::values::{given, picker, sent, some};
use prepare_shapes::{is_open, is_valid, sensible, without_nullable};
use prepare_support::top_level;
use proptest::prelude::*;
use serde_json::{Map, Value};
use tinyagents::schema::{
    SchemaCompaction, SchemaPreparation, SchemaTarget, Validator, lint, prepare,
};
use tinyagents::{Dispatcher, RunContext, ToolCall, ToolRegistry, ToolSchema};

const KEYWORDS: [&str; 34] = [
    "type",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "prefixItems",
    "enum",
    "const",
    "anyOf",
    "oneOf",
    "allOf",
    "not",
    "if",
    "then",
    "$ref",
    "$defs",
    "definitions",
    "minimum",
    "exclusiveMinimum",
    "minLength",
    "pattern",
    "format",
    "minItems",
    "default",
    "title",
    "description",
    "nullable",
    "$schema",
    "$id",
    "examples",
    "uniqueItems",
    "patternProperties",
    "contentMediaType",
    "x-own",
];

const TEXTS: [&str; 18] = [
    "string",
    "integer",
    "object",
    "array",
    "null",
    "dict",
    "any",
    "date-time",
    "uri",
    "#",
    "#/$defs/a",
    "#/$defs/b",
    "#/properties/a",
    "#/$defs/a/items",
    "http://x.test/y",
    "",
    "a",
    "^a",
];

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-4_i64..4).prop_map(Value::from),
        prop::sample::select(&TEXTS[..]).prop_map(Value::from),
    ]
}

/// JSON that looks like a schema, more or less.
fn hostile() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(6, 64, 6, |inner| {
        let name = prop_oneof![
            4 => prop::sample::select(&KEYWORDS[..]).prop_map(String::from),
            2 => prop::sample::select(&["a", "b", "$c", "d/e", "f~g", "x y"][..]).prop_map(String::from),
        ];
        prop_oneof![
            1 => prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            4 => prop::collection::vec((name, inner), 0..6)
                .prop_map(|entries| entries.into_iter().collect::<Map<_, _>>().into()),
        ]
    })
}

proptest! {
    #[test]
    fn whatever_is_prepared_is_clean_and_stays_as_it_is(schema in hostile()) {
        for target in SchemaTarget::ALL {
            let prepared = prepare(&schema, target);
            let findings = lint(&prepared, target);
            prop_assert!(findings.is_empty(), "{}: {:?}\n{}\n{}", target, findings, schema, prepared);
            let twice = prepare(&prepared, target);
            prop_assert_eq!(&twice, &prepared, "{}\n{}", target, schema);
        }
    }

    #[test]
    fn no_argument_is_lost(schema in hostile()) {
        let wanted = schema["properties"].as_object().map_or(0, Map::len);
        for target in SchemaTarget::ALL {
            let prepared = prepare(&schema, target);
            let found = prepared["properties"].as_object().map_or(0, Map::len);
            prop_assert!(found >= wanted, "{}\n{}\n{}", target, schema, prepared);
        }
    }

    #[test]
    fn what_is_compacted_is_clean_and_keeps_its_arguments(schema in hostile(), max_schema_bytes in 0_usize..600) {
        let tool = ToolSchema::new("t", "T.", schema);
        for target in SchemaTarget::ALL {
            let compaction = SchemaCompaction { max_description_bytes: 100, max_schema_bytes };
            let preparation = SchemaPreparation { target, compaction: Some(compaction) };
            let small = preparation.prepare(&tool);
            prop_assert!(lint(&small.parameters, target).is_empty(), "{}\n{}\n{}", target, tool.parameters, small.parameters);
            prop_assert_eq!(&preparation.prepare(&small), &small, "{}\n{}", target, tool.parameters);
            let names = |schema: &Value| schema["properties"].as_object().map(|properties| properties.keys().cloned().collect::<Vec<_>>());
            prop_assert_eq!(names(&prepare(&tool.parameters, target)).unwrap_or_default(), names(&small.parameters).unwrap_or_default());
        }
    }

    #[test]
    fn valid_arguments_stay_valid(schema in sensible(), seed in any::<u64>()) {
        let value = some(&schema, &schema, &mut picker(seed), 6);
        prop_assume!(is_valid(&schema, &value));
        for target in SchemaTarget::ALL {
            let prepared = prepare(&schema, target);
            prop_assert_eq!(top_level(&prepared, &prepared, 8), top_level(&schema, &schema, 8));
            let value = match target {
                SchemaTarget::OpenAiStrict if is_open(&schema) => continue,
                SchemaTarget::OpenAiStrict => sent(&prepared, &prepared, &value, &mut picker(seed)),
                _ => value.clone(),
            };
            let faults = Validator::compile(&without_nullable(&prepared)).expect("a prepared schema").validate(&value);
            prop_assert!(faults.is_ok(), "{}: {:?}\n{}\n{}\n{}", target, faults, schema, prepared, value);
        }
    }

    #[test]
    fn what_strict_mode_sends_reaches_the_tool(schema in sensible(), seed in any::<u64>()) {
        let mut registry = ToolRegistry::new();
        registry.register_external(ToolSchema::new("t", "T.", schema.clone())).expect("a tool");
        let value = some(&schema, &schema, &mut picker(seed), 6);
        prop_assume!(is_valid(&schema, &value));
        let prepared = prepare(&schema, SchemaTarget::OpenAiStrict);
        let sent = sent(&prepared, &prepared, &value, &mut picker(seed));
        // It can't send what only an open schema takes.
        prop_assume!(is_valid(&prepared, &sent));
        let calls = vec![ToolCall::new("c1", "t", sent.clone())];
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let ctx = RunContext::new();
        let batch = runtime.block_on(Dispatcher::new(registry).dispatch(&(), &ctx, calls)).expect("a batch");
        let told = batch.messages.first().map(|row| row.content.clone());
        let Some(deferred) = batch.deferred else {
            return Err(TestCaseError::fail(format!("{told:?}\n{schema}\n{prepared}\n{sent}")));
        };
        let reached = &deferred.calls[0].arguments;
        prop_assert!(is_valid(&schema, reached));
        prop_assert_eq!(given(reached), given(&value));
    }

    #[test]
    fn lint_reads_anything(schema in hostile()) {
        for target in SchemaTarget::ALL {
            for finding in lint(&schema, target) {
                prop_assert!(!finding.message.is_empty());
            }
        }
    }
}
