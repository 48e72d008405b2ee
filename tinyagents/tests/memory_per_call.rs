//! How much memory a waiting call takes beyond what its tool takes, counted by the allocator.

#![allow(missing_docs, clippy::unwrap_used)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::future::{BoxFuture, join_all};
use peak_alloc::PeakAlloc;
use serde_json::{Value, json};
use tinyagents::tinytools::{Tool, ToolPolicy, ToolResult, async_trait};
use tinyagents::{Dispatcher, RunContext, RunLimits, RunPolicy, ToolCall, ToolRegistry};
use tokio::sync::Semaphore;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

const CALLS: usize = 10_000;
const BOUND: usize = 4096;

/// Waits until it may go.
#[derive(Clone)]
struct Waits {
    waiting: Arc<AtomicUsize>,
    go: Arc<Semaphore>,
}

impl Waits {
    fn new() -> Self {
        Self {
            waiting: Arc::default(),
            go: Arc::new(Semaphore::new(0)),
        }
    }

    /// Returns when so many wait, with what is allocated then, and lets them go.
    async fn measure(&self, expected: usize) -> usize {
        while self.waiting.load(Ordering::SeqCst) < expected {
            tokio::task::yield_now().await;
        }
        let allocated = ALLOCATOR.current_usage();
        self.go.close();
        allocated
    }
}

#[async_trait]
impl Tool for Waits {
    fn name(&self) -> &'static str {
        "wait"
    }

    fn description(&self) -> &'static str {
        "Wait."
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
        self.waiting.fetch_add(1, Ordering::SeqCst);
        assert!(self.go.acquire().await.is_err());
        Ok(ToolResult::success("done"))
    }
}

/// What `CALLS` calls allocate while `width` of them wait in their tool and the others for their turn.
async fn dispatched(width: usize) -> usize {
    let tool = Waits::new();
    let mut registry = ToolRegistry::new();
    registry.register(tool.clone()).unwrap();
    let limits = RunLimits {
        max_tool_calls: u32::MAX,
        ..RunLimits::default()
    };
    let dispatcher = Dispatcher::new(registry).with_policy(RunPolicy {
        limits,
        max_concurrent_tools: width,
        ..RunPolicy::default()
    });
    let calls: Vec<ToolCall> = (0..CALLS)
        .map(|number| ToolCall::new(format!("c{number}"), "wait", json!({})))
        .collect();
    let ctx = RunContext::new();
    // The calls themselves are there before.
    let before = ALLOCATOR.current_usage();
    let (batch, allocated) =
        tokio::join!(dispatcher.dispatch(&(), &ctx, calls), tool.measure(width));
    assert_eq!(batch.unwrap().messages.len(), CALLS);
    allocated - before
}

/// What the tool's own futures allocate, all of them waiting.
async fn bare() -> usize {
    let tool = Waits::new();
    let before = ALLOCATOR.current_usage();
    let futures = async {
        let futures: Vec<BoxFuture<'_, _>> = (0..CALLS).map(|_| tool.execute(json!({}))).collect();
        join_all(futures).await
    };
    let (done, allocated) = tokio::join!(futures, tool.measure(CALLS));
    assert_eq!(done.len(), CALLS);
    allocated - before
}

#[tokio::test]
async fn a_waiting_call_takes_less_than_4_kb_beyond_its_tool() {
    let own = bare().await;
    let all = dispatched(CALLS).await;
    let beyond = all.saturating_sub(own) / CALLS;
    println!(
        "running: {beyond} bytes per call beyond the {} of its tool",
        own / CALLS
    );
    assert!(beyond < BOUND, "{beyond} bytes");

    let queued = dispatched(1000).await / CALLS;
    println!("mostly queued: {queued} bytes per call");
    assert!(queued < BOUND, "{queued} bytes");
}
