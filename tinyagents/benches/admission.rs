//! Admission over arguments of doubling size: the time per byte must stay the same. From text that is mended, and from
//! arguments that are read already, up to 10 MB. And of a small valid call beside its validation: what the check for
//! repairs, stripping and normalising add may be no more than that.

#![allow(missing_docs, clippy::unwrap_used)]

use std::fmt::Write;
use std::hint::black_box;
use std::sync::Arc;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use futures::FutureExt as _;
use serde_json::{Value, json};
use tinyagents::relaxed_json::recover_relaxed_object;
use tinyagents::runtime::{Dispatcher, RunLimits, RunPolicy};
use tinyagents::schema::Validator;
use tinyagents::tinytools::{Tool, ToolPolicy, ToolResult, async_trait};
use tinyagents::{RunContext, ToolCall, ToolRegistry, ToolSchema};

/// Bytes of the arguments, doubling up to 10 MB.
const SIZES: [usize; 6] = [
    320_000, 640_000, 1_280_000, 2_560_000, 5_120_000, 10_240_000,
];

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": { "items": { "type": "array", "items": {
            "type": "object",
            "properties": { "name": { "type": "string", "maxLength": 40 }, "count": { "type": "integer", "minimum": 0 } },
            "required": ["name"],
            "additionalProperties": false
        } } },
        "required": ["items"],
        "additionalProperties": false
    })
}

/// Almost JSON of at least so many bytes.
fn text(bytes: usize) -> String {
    let mut text = String::from("{items: [");
    while text.len() < bytes {
        let number = text.len();
        write!(text, "{{name: 'item \\'{number}\\'', count: +{number},}}, ").unwrap();
    }
    text + "]}"
}

fn admission(criterion: &mut Criterion) {
    let validator = Validator::compile(&schema()).unwrap();
    let mut registry = ToolRegistry::new();
    // A call of it leaves once it is admitted, so that nothing else is measured but its way out.
    registry
        .register_external(ToolSchema::new("take", "Take the items.", schema()))
        .unwrap();
    let limits = RunLimits {
        max_tool_calls: u32::MAX,
        ..RunLimits::default()
    };
    let dispatcher = Dispatcher::new(registry).with_policy(RunPolicy {
        limits,
        ..RunPolicy::default()
    });
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();

    let mut group = criterion.benchmark_group("admission");
    group.sample_size(10);
    for size in SIZES {
        let text = text(size);
        let object = Value::from(recover_relaxed_object(&text).unwrap());
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_with_input(BenchmarkId::new("mend", size), &text, |bencher, text| {
            bencher.iter(|| recover_relaxed_object(black_box(text)));
        });
        group.bench_with_input(
            BenchmarkId::new("validate", size),
            &object,
            |bencher, object| {
                bencher.iter(|| validator.is_valid(black_box(object)));
            },
        );
        let ctx = RunContext::new();
        let call = ToolCall::from_text("c1", "take", &text);
        group.bench_with_input(BenchmarkId::new("admit", size), &call, |bencher, call| {
            bencher.iter_batched(
                || vec![call.clone()],
                |calls| {
                    runtime
                        .block_on(dispatcher.dispatch(&(), &ctx, calls))
                        .unwrap()
                },
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

/// `steps` is what looks at the arguments; `whole` finds the tool too, and makes the call's context.
fn small(criterion: &mut Criterion) {
    let schema = json!({
        "type": "object",
        "properties": {
            "city": { "type": "string", "description": "City name." },
            "days": { "type": "integer", "minimum": 1, "maximum": 14, "default": 3 }
        },
        "required": ["city"],
        "additionalProperties": false
    });
    let arguments = json!({ "city": "Oslo", "days": 5 });
    let validator = Validator::compile(&schema).unwrap();
    let mut registry = ToolRegistry::new();
    registry.register(Forecast { schema }).unwrap();
    let dispatcher = Dispatcher::new(registry);
    let ctx = RunContext::new();
    let turn = dispatcher.turn(&ctx).now_or_never().unwrap().unwrap();
    let call = ToolCall::new("c1", "forecast", arguments.clone());
    let batch = Arc::new(vec![call]);

    let mut group = criterion.benchmark_group("small call");
    group.bench_function("validate", |bencher| {
        bencher.iter(|| validator.is_valid(black_box(&arguments)));
    });
    let mut steps = turn.__admission_steps(&ctx, &batch).unwrap();
    assert!(steps());
    group.bench_function("steps", |bencher| bencher.iter(|| black_box(&mut steps)()));
    assert!(turn.__admits(&ctx, &batch));
    group.bench_function("whole", |bencher| {
        bencher.iter(|| turn.__admits(&ctx, black_box(&batch)));
    });
    group.finish();
}

struct Forecast {
    schema: Value,
}

#[async_trait]
impl Tool for Forecast {
    fn name(&self) -> &'static str {
        "forecast"
    }

    fn description(&self) -> &'static str {
        "Say what the weather will be."
    }

    fn parameters_schema(&self) -> Value {
        self.schema.clone()
    }

    fn policy(&self) -> ToolPolicy {
        ToolPolicy::read_only()
    }

    async fn execute(&self, _: Value) -> anyhow::Result<ToolResult> {
        Ok(ToolResult::success("sun"))
    }
}

criterion_group!(benches, admission, small);
criterion_main!(benches);
