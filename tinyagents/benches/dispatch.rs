//! One small call, from arguments text to answer, in registries of different sizes, beside the floor: what one would
//! write by hand without any runtime.

#![allow(missing_docs, clippy::unwrap_used)]

use std::collections::HashMap;
use std::hint::black_box;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use serde::Deserialize;
use serde_json::{Value, json};
use tinyagents::runtime::{Dispatcher, ToolRegistry};
use tinyagents::tinytools::{Tool, ToolPolicy, ToolResult, async_trait};
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

fn dispatcher(tools: usize) -> Dispatcher {
    let mut registry = ToolRegistry::new();
    for number in 0..tools {
        registry
            .register(Add {
                name: format!("add_{number}"),
            })
            .unwrap();
    }
    Dispatcher::new(registry)
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
    for size in [1, 1000] {
        let dispatcher = dispatcher(size);
        let name = format!("add_{}", size / 2);
        group.bench_function(format!("tinyagents/{size}"), |bencher| {
            // The limits of a run count its calls; a run of millions is none.
            bencher.iter_batched_ref(
                RunContext::new,
                |ctx| {
                    let call =
                        ToolCall::from_text("c1", black_box(name.as_str()), black_box(ARGUMENTS));
                    runtime
                        .block_on(dispatcher.dispatch(&(), ctx, vec![call]))
                        .unwrap()
                },
                BatchSize::SmallInput,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, dispatch);
criterion_main!(benches);
