//! The real tools of the shared corpora, prepared for every provider.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod prepare_support;

use prepare_support::{corpus, filled, instance, top_level};
use serde_json::Value;
use tinyagents::schema::{
    SchemaCompaction, SchemaPreparation, SchemaTarget, Validator, lint, prepare,
};
use tinyagents::{Dispatcher, RunContext, RunPolicy, ToolCall, ToolRegistry, ToolSchema};

fn arguments(schema: &Value) -> Vec<String> {
    top_level(schema, schema, 8)
}

/// Whether there is nothing left to take away.
fn is_bare(schema: &Value, target: SchemaTarget) -> bool {
    let is_plain = |property: &Value| {
        let mut keywords = property.as_object().expect("a schema").keys();
        keywords.all(|keyword| ["type", "items"].contains(&keyword.as_str()))
    };
    let text = schema.to_string();
    match target {
        SchemaTarget::OpenAiStrict => {
            !text.contains("\"description\":\"") && !text.contains("\"enum\":[")
        }
        _ => schema["properties"]
            .as_object()
            .expect("properties")
            .values()
            .all(is_plain),
    }
}

fn bytes(schema: &Value) -> usize {
    schema.to_string().len()
}

#[test]
fn prepared_for_any_provider_they_lint_clean_and_keep_their_arguments() {
    let Some(rows) = corpus("tool_schemas.jsonl") else {
        return;
    };
    let mut wrong = Vec::new();
    for row in &rows {
        let declared = &row["input_schema"];
        for target in SchemaTarget::ALL {
            let prepared = prepare(declared, target);
            for finding in lint(&prepared, target) {
                wrong.push(format!(
                    "{} for {target}: {finding}\n{declared}\n{prepared}",
                    row["name"]
                ));
            }
            if prepare(&prepared, target) != prepared {
                wrong.push(format!(
                    "{} for {target}: twice is not once\n{prepared}\n{}",
                    row["name"],
                    prepare(&prepared, target)
                ));
            }
            let names = prepared["properties"]
                .as_object()
                .map_or(0, serde_json::Map::len);
            if names < arguments(declared).len() && target != SchemaTarget::Mcp {
                wrong.push(format!(
                    "{} for {target}: an argument is lost\n{prepared}",
                    row["name"]
                ));
            }
            if let Err(error) = Validator::compile(&prepared) {
                wrong.push(format!("{} for {target}: {error}", row["name"]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn what_is_portable_is_clean_for_all() {
    let Some(rows) = corpus("tool_schemas.jsonl") else {
        return;
    };
    for row in &rows {
        let prepared = prepare(&row["input_schema"], SchemaTarget::Portable);
        for target in SchemaTarget::ALL {
            if target != SchemaTarget::OpenAiStrict {
                assert_eq!(
                    lint(&prepared, target),
                    [],
                    "{} for {target}: {prepared}",
                    row["name"]
                );
            }
        }
    }
}

#[test]
fn arguments_that_were_valid_are_valid_for_the_prepared_schema() {
    let Some(rows) = corpus("tool_schemas.jsonl") else {
        return;
    };
    let mut tried = 0;
    for row in &rows {
        let declared = &row["input_schema"];
        let Ok(validator) = Validator::compile(declared) else {
            continue;
        };
        for full in [true, false] {
            let value = instance(declared, declared, full, 6);
            if !validator.is_valid(&value) {
                println!("no instance for {}: {value}", row["name"]);
                continue;
            }
            for target in SchemaTarget::ALL {
                let prepared = prepare(declared, target);
                let value = match target {
                    SchemaTarget::OpenAiStrict => filled(&prepared, &prepared, &value),
                    _ => value.clone(),
                };
                let renamed = value.as_object().is_some_and(|value| {
                    value
                        .keys()
                        .any(|name| prepared["properties"].get(name).is_none())
                });
                // The names of arguments come back at admission.
                if renamed {
                    continue;
                }
                tried += 1;
                let prepared_validator = Validator::compile(&prepared).expect("a schema");
                assert_eq!(
                    prepared_validator.validate(&value),
                    Ok(()),
                    "{} for {target}: {value}\n{prepared}",
                    row["name"]
                );
            }
        }
    }
    println!("{tried} instances");
    assert!(tried > 0);
}

#[tokio::test]
async fn what_strict_mode_makes_of_arguments_arrives_as_declared() {
    let Some(rows) = corpus("tool_schemas.jsonl") else {
        return;
    };
    let mut arrived = 0;
    for (number, row) in rows.iter().enumerate() {
        let declared = &row["input_schema"];
        let mut registry = ToolRegistry::new();
        let name = format!("t{number}");
        let schema = ToolSchema::new(&name, "A tool.", declared.clone());
        if registry.register_external(schema).is_err() {
            continue;
        }
        let validator = registry.get(&name).unwrap().validator();
        let prepared = prepare(declared, SchemaTarget::OpenAiStrict);
        for full in [true, false] {
            let value = instance(declared, declared, full, 6);
            if !validator.is_valid(&value) {
                continue;
            }
            let sent = filled(&prepared, &prepared, &value);
            let dispatcher = Dispatcher::new(registry.clone()).with_policy(RunPolicy {
                tool_schemas: Some(SchemaPreparation {
                    target: SchemaTarget::OpenAiStrict,
                    compaction: None,
                }),
                ..RunPolicy::default()
            });
            let calls = vec![ToolCall::new("c1", &name, sent.clone())];
            let batch = dispatcher
                .dispatch(&(), &RunContext::new(), calls)
                .await
                .unwrap();
            let Some(deferred) = batch.deferred else {
                panic!("{}: {sent} is refused: {:?}", row["name"], batch.messages);
            };
            let got = &deferred.calls[0].arguments;
            assert!(validator.is_valid(got));
            arrived += 1;
        }
    }
    println!("{arrived} calls");
    assert!(arrived > 0);
}

#[test]
fn compacted_they_are_within_bounds_clean_and_keep_their_arguments() {
    let Some(rows) = corpus("tool_schemas.jsonl") else {
        return;
    };
    let mut wrong = Vec::new();
    let mut shrunk = 0;
    for row in &rows {
        let declared = &row["input_schema"];
        let description = row["description"].as_str().unwrap_or_default();
        let tool = ToolSchema::new(row["name"].as_str().unwrap(), description, declared.clone());
        for target in SchemaTarget::ALL {
            for most in [5_000, 1_000, 600] {
                let compaction = SchemaCompaction {
                    max_schema_bytes: most,
                    ..SchemaCompaction::THIRD_PARTY
                };
                let preparation = SchemaPreparation {
                    target,
                    compaction: Some(compaction),
                };
                let small = preparation.prepare(&tool);
                let size = bytes(&small.parameters);
                shrunk += usize::from(size < bytes(&prepare(declared, target)));
                // Nothing but names and types is left of what doesn't fit.
                if size > most && !is_bare(&small.parameters, target) {
                    wrong.push(format!(
                        "{} for {target}: {size} B, {most} allowed\n{}",
                        row["name"], small.parameters
                    ));
                }
                for finding in lint(&small.parameters, target) {
                    wrong.push(format!(
                        "{} for {target}: {finding}\n{}",
                        row["name"], small.parameters
                    ));
                }
                if preparation.prepare(&small) != small {
                    wrong.push(format!("{} for {target}: twice is not once", row["name"]));
                }
                let plain = prepare(declared, target);
                let names = |schema: &Value| {
                    schema["properties"]
                        .as_object()
                        .map(|map| map.keys().cloned().collect::<Vec<_>>())
                };
                if names(&plain) != names(&small.parameters) {
                    wrong.push(format!("{} for {target}: an argument is lost", row["name"]));
                }
            }
        }
    }
    println!("{shrunk} are smaller");
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}
