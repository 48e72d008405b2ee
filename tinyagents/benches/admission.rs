//! Admission over arguments of doubling size: the time per byte must stay the same. From text that is mended, and from
//! arguments that are read already, up to 10 MB.

#![allow(missing_docs, clippy::unwrap_used)]

use std::fmt::Write;
use std::hint::black_box;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use serde_json::{Value, json};
use tinyagents::relaxed_json::recover_relaxed_object;
use tinyagents::runtime::{Dispatcher, RunLimits, RunPolicy};
use tinyagents::schema::Validator;
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

criterion_group!(benches, admission);
criterion_main!(benches);
