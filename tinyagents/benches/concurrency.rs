//! Thousands of calls through one dispatcher, beside the same futures without it: how long ten thousand waits of 10 ms
//! take, a thousand at a time, and what is left of the throughput of calls that keep a processor busy for 20 µs.

#![allow(missing_docs, clippy::unwrap_used)]

use std::hint::{black_box, spin_loop};
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use futures::{StreamExt as _, stream};
use serde_json::{Value, json};
use tinyagents::runtime::{Dispatcher, RunLimits, RunPolicy, ToolRegistry};
use tinyagents::tinytools::{Tool, ToolPolicy, ToolResult, async_trait};
use tinyagents::{RunContext, ToolCall};
use tokio::runtime::Runtime;

/// What one call does.
#[derive(Clone, Copy)]
enum Work {
    Wait,
    Spin,
}

impl Work {
    async fn run(self) {
        match self {
            Self::Wait => tokio::time::sleep(Duration::from_millis(10)).await,
            Self::Spin => {
                let started = Instant::now();
                while started.elapsed() < Duration::from_micros(20) {
                    spin_loop();
                }
            }
        }
    }
}

#[async_trait]
impl Tool for Work {
    fn name(&self) -> &'static str {
        "work"
    }

    fn description(&self) -> &'static str {
        "Work."
    }

    fn parameters_schema(&self) -> Value {
        json!({ "type": "object" })
    }

    fn policy(&self) -> ToolPolicy {
        ToolPolicy::read_only()
    }

    fn is_concurrency_safe(&self, _: &Value) -> bool {
        true
    }

    async fn execute(&self, _: Value) -> anyhow::Result<ToolResult> {
        self.run().await;
        Ok(ToolResult::success("done"))
    }
}

fn dispatcher(work: Work, width: usize) -> Dispatcher {
    let mut registry = ToolRegistry::new();
    registry.register(work).unwrap();
    // A benchmark makes more calls than any run may.
    let limits = RunLimits {
        max_tool_calls: u32::MAX,
        ..RunLimits::default()
    };
    Dispatcher::new(registry).with_policy(RunPolicy {
        limits,
        max_concurrent_tools: width,
        ..RunPolicy::default()
    })
}

fn calls(count: usize) -> Vec<ToolCall> {
    (0..count)
        .map(|number| ToolCall::new(format!("c{number}"), "work", json!({})))
        .collect()
}

/// The floor: the tool's own futures, boxed as a tool's are, under the same bound.
async fn bare(work: Work, count: usize, width: usize) {
    let futures = (0..count).map(|_| work.execute(Value::Null));
    stream::iter(futures)
        .buffer_unordered(width)
        .for_each(async |result| drop(black_box(result)))
        .await;
}

async fn dispatched(dispatcher: &Dispatcher, calls: Vec<ToolCall>) {
    let count = calls.len();
    let batch = dispatcher.dispatch(&(), &RunContext::new(), calls).await;
    assert_eq!(black_box(batch).unwrap().messages.len(), count);
}

fn compare(criterion: &mut Criterion, group: &str, work: Work, count: usize, width: usize) {
    let runtime: Runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    let mut group = criterion.benchmark_group(group);
    group.sample_size(10);
    group.throughput(Throughput::Elements(count as u64));
    group.bench_function("bare", |bencher| {
        bencher.iter(|| runtime.block_on(bare(work, count, width)));
    });
    let dispatcher = dispatcher(work, width);
    group.bench_function("dispatched", |bencher| {
        bencher.iter_batched(
            || calls(count),
            |calls| runtime.block_on(dispatched(&dispatcher, calls)),
            criterion::BatchSize::PerIteration,
        );
    });
    group.finish();
}

/// The ideal is 100 ms: ten rounds of 10 ms.
fn waits(criterion: &mut Criterion) {
    compare(criterion, "waits_of_10ms", Work::Wait, 10_000, 1000);
}

fn throughput(criterion: &mut Criterion) {
    compare(criterion, "calls_of_20us", Work::Spin, 2000, 64);
}

criterion_group!(benches, waits, throughput);
criterion_main!(benches);
