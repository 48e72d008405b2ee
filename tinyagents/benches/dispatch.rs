//! One small call, from arguments text to answer, in registries of different sizes, beside the floor: what one would
//! write by hand without any runtime. The same by hand between a [`ToolCall`] and a [`Batch`], which is the least that a
//! dispatch can cost. And a call's admission and execution alone.

#![allow(missing_docs, clippy::unwrap_used)]

use std::collections::HashMap;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use criterion::{Criterion, criterion_group, criterion_main};
use serde::Deserialize;
use serde_json::{Value, json};
use tinyagents::model::ToolMessage;
use tinyagents::runtime::{Batch, Dispatcher, RunLimits, RunPolicy, ToolRegistry};
use tinyagents::tinytools::{Tool, ToolContent, ToolPolicy, ToolResult, async_trait, tool};
use tinyagents::{RunContext, ToolCall};

const ARGUMENTS: &str = r#"{"a":20,"b":22}"#;

#[derive(Deserialize)]
struct Args {
    a: i64,
    b: i64,
}

struct Add {
    name: String,
}

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": { "a": { "type": "integer" }, "b": { "type": "integer" } },
        "required": ["a", "b"],
        "additionalProperties": false
    })
}

#[async_trait]
impl Tool for Add {
    fn name(&self) -> &str {
        &self.name
    }

    fn description(&self) -> &'static str {
        "Add two numbers."
    }

    fn parameters_schema(&self) -> Value {
        schema()
    }

    fn policy(&self) -> ToolPolicy {
        ToolPolicy::read_only()
    }

    async fn execute(&self, args: Value) -> anyhow::Result<ToolResult> {
        let Args { a, b } = serde_json::from_value(args)?;
        Ok(ToolResult::success((a + b).to_string()))
    }
}

type Body = Box<dyn Fn(Value) -> String>;

fn floor(tools: usize) -> HashMap<String, (jsonschema::Validator, Body)> {
    (0..tools)
        .map(|number| {
            let body: Body = Box::new(|args| {
                let Args { a, b } = serde_json::from_value(args).unwrap();
                (a + b).to_string()
            });
            let validator = jsonschema::validator_for(&schema()).unwrap();
            (format!("add_{number}"), (validator, body))
        })
        .collect()
}

type TypedBody = Box<dyn Fn(&Value) -> ToolResult>;

fn typed_floor(tools: usize) -> HashMap<String, (jsonschema::Validator, TypedBody)> {
    (0..tools)
        .map(|number| {
            let body: TypedBody = Box::new(|args| {
                let Args { a, b } = Args::deserialize(args).unwrap();
                ToolResult::success((a + b).to_string())
            });
            let validator = jsonschema::validator_for(&schema()).unwrap();
            (format!("add_{number}"), (validator, body))
        })
        .collect()
}

/// Every check but the schema's left out.
fn answer_by_hand(
    tools: &HashMap<String, (jsonschema::Validator, TypedBody)>,
    calls: Vec<ToolCall>,
) -> Batch {
    let mut batch = Batch::default();
    for call in &calls {
        let (validator, body) = &tools[&call.name];
        assert!(validator.is_valid(&call.arguments));
        let mut result = body(&call.arguments);
        let Some(ToolContent::Text { text }) = result.content.pop() else {
            unreachable!()
        };
        let row = ToolMessage::new(call.id.as_str(), call.name.as_str(), text);
        batch.messages.push(row);
    }
    batch.calls = calls;
    batch
}

fn dispatcher(tools: usize) -> Dispatcher {
    let mut registry = ToolRegistry::new();
    registry.register(AddTool).unwrap();
    for number in 0..tools - 1 {
        registry
            .register(Add {
                name: format!("add_{number}"),
            })
            .unwrap();
    }
    // A benchmark makes more calls than any run may.
    let limits = RunLimits {
        max_tool_calls: u32::MAX,
        ..RunLimits::default()
    };
    Dispatcher::new(registry).with_policy(RunPolicy {
        limits,
        ..RunPolicy::default()
    })
}

/// Add two numbers.
#[tool(read_only)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn dispatch(criterion: &mut Criterion) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    let mut group = criterion.benchmark_group("dispatch");
    let tools = floor(1000);
    group.bench_function("floor/1000", |bencher| {
        bencher.iter(|| {
            let (validator, body) = &tools[black_box("add_500")];
            let args: Value = serde_json::from_str(black_box(ARGUMENTS)).unwrap();
            assert!(validator.is_valid(&args));
            body(args)
        });
    });
    let typed = typed_floor(1000);
    group.bench_function("by hand between the types of a call/1000", |bencher| {
        bencher.iter(|| {
            let call = ToolCall {
                id: "c1".to_owned(),
                name: black_box("add_500").to_owned(),
                arguments: serde_json::from_str(black_box(ARGUMENTS)).unwrap(),
                invalid: None,
            };
            let batch = answer_by_hand(&typed, vec![call]);
            assert!(!black_box(&batch).messages[0].is_error);
        });
    });
    for (case, name, size) in [
        ("annotated", "add", 1),
        ("annotated", "add", 1000),
        ("handwritten", "add_0", 1000),
    ] {
        let dispatcher = dispatcher(size);
        let ctx = RunContext::new();
        group.bench_function(format!("{case}/{size}"), |bencher| {
            // A host is inside its async runtime already: entering it isn't part of a call.
            bencher.iter_custom(|iterations| {
                runtime.block_on(async {
                    let started = Instant::now();
                    for _ in 0..iterations {
                        let call = ToolCall::from_text("c1", black_box(name), black_box(ARGUMENTS));
                        let batch = dispatcher.dispatch(&(), &ctx, vec![call]).await.unwrap();
                        assert!(!black_box(&batch).messages[0].is_error);
                    }
                    started.elapsed()
                })
            });
        });
    }
    // The same without the rows and the rest of a batch.
    let dispatcher = dispatcher(1000);
    let ctx = RunContext::new();
    let turn = runtime.block_on(dispatcher.turn(&ctx)).unwrap();
    group.bench_function("admission and execution/1000", |bencher| {
        bencher.iter_custom(|iterations| {
            runtime.block_on(async {
                let started = Instant::now();
                for _ in 0..iterations {
                    let call = ToolCall::from_text("c1", black_box("add"), black_box(ARGUMENTS));
                    assert!(turn.__runs(&ctx, black_box(&Arc::new(vec![call]))).await);
                }
                started.elapsed()
            })
        });
    });
    group.finish();
}

criterion_group!(benches, dispatch);
criterion_main!(benches);
