//! Searching among many tools, from the call to its row, and building the index for it: the time per tool shows whether
//! that is linear.

#![allow(missing_docs, clippy::unwrap_used)]

use std::hint::black_box;
use std::time::Instant;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use serde_json::{Value, json};
use tinyagents::runtime::{Dispatcher, RunLimits, RunPolicy, ToolRegistry};
use tinyagents::{RunContext, Tool, ToolCall, ToolExposure, ToolPolicy, ToolResult, async_trait};

const VERBS: [&str; 10] = [
    "create", "list", "update", "delete", "archive", "search", "merge", "export", "share", "watch",
];
const NOUNS: [&str; 25] = [
    "issue", "invoice", "branch", "calendar", "contact", "report", "folder", "photo", "ticket",
    "order", "payment", "channel", "message", "meeting", "task", "project", "page", "table",
    "chart", "user", "team", "device", "build", "release", "secret",
];

struct Declared {
    name: String,
    description: String,
    schema: Value,
}

impl Declared {
    fn new(number: usize) -> Self {
        let (verb, noun) = (VERBS[number % 10], NOUNS[number / 10 % 25]);
        let service = number / 250;
        Self {
            name: format!("service{service}_{verb}_{noun}"),
            description: format!(
                "{verb} one {noun} of the workspace at service {service}. Needs write access to the {noun}."
            ),
            schema: json!({
                "type": "object",
                "properties": {
                    "workspace_id": { "type": "string" },
                    format!("{noun}_title"): { "type": "string" },
                    "labels": { "type": "array", "items": { "type": "string" } },
                },
                "required": ["workspace_id"],
            }),
        }
    }
}

#[async_trait]
impl Tool for Declared {
    fn name(&self) -> &str {
        &self.name
    }

    fn description(&self) -> &str {
        &self.description
    }

    fn parameters_schema(&self) -> Value {
        self.schema.clone()
    }

    fn policy(&self) -> ToolPolicy {
        ToolPolicy::read_only()
    }

    fn exposure(&self) -> ToolExposure {
        ToolExposure::Deferred
    }

    async fn execute(&self, _: Value) -> anyhow::Result<ToolResult> {
        Ok(ToolResult::success(""))
    }
}

fn registry(tools: usize) -> ToolRegistry {
    let mut registry = ToolRegistry::new();
    for number in 0..tools {
        registry.register(Declared::new(number)).unwrap();
    }
    registry
}

fn search(criterion: &mut Criterion) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    let mut group = criterion.benchmark_group("search");
    let limits = RunLimits {
        max_tool_calls: u32::MAX,
        ..RunLimits::default()
    };
    let policy = RunPolicy {
        limits,
        ..RunPolicy::default()
    };
    let dispatcher = Dispatcher::new(registry(10_000)).with_policy(policy);
    let ctx = RunContext::new();
    let turn = runtime.block_on(dispatcher.turn(&ctx)).unwrap();
    for (case, query) in [
        ("three_words", "archive the payment report"),
        // Words that nearly every tool has are the dearest.
        ("common_words", "write access to one workspace of a service"),
        ("no_match", "submarine"),
    ] {
        group.bench_function(format!("{case}/10000"), |bencher| {
            bencher.iter_custom(|iterations| {
                runtime.block_on(async {
                    let started = Instant::now();
                    for _ in 0..iterations {
                        let args = json!({ "query": black_box(query) });
                        let call = ToolCall::new("c1", "tool_search", args);
                        let batch = turn.dispatch(&(), &ctx, vec![call]).await.unwrap();
                        assert!(!black_box(batch).messages[0].is_error);
                    }
                    started.elapsed()
                })
            });
        });
    }
    for tools in [2_500, 5_000, 10_000] {
        let registry = registry(tools);
        // What the registry itself makes is made once for all dispatchers.
        let _ = registry.schemas();
        group.sample_size(20);
        group.throughput(Throughput::Elements(tools as u64));
        group.bench_with_input(
            BenchmarkId::new("build", tools),
            &registry,
            |bencher, registry| {
                bencher.iter(|| {
                    let dispatcher = Dispatcher::new(registry.clone());
                    let turn = runtime
                        .block_on(dispatcher.turn(&RunContext::new()))
                        .unwrap();
                    assert_eq!(black_box(turn).schemas().len(), 2);
                });
            },
        );
    }
    group.finish();
}

criterion_group!(benches, search);
criterion_main!(benches);
