//! Concurrency, time, cancellation and repetition, in paused time.

#![allow(missing_docs, clippy::unwrap_used)]

mod lifecycle_support;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use lifecycle_support::Made;
use serde_json::{Value, json};
use tinyagents::runtime::{Dispatcher, RunPolicy, StopReason, ToolRegistry};
use tinyagents::tinytools::{
    Tool, ToolCallOptions, ToolError, ToolPolicy, ToolResult, ToolRunContext, ToolTimeout,
    async_trait,
};
use tinyagents::{AgentEvent, Batch, EventLog, RunContext, ToolCall};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

fn dispatcher(tools: impl IntoIterator<Item = Made>) -> Dispatcher {
    let mut registry = ToolRegistry::new();
    for tool in tools {
        registry.register(tool).unwrap();
    }
    Dispatcher::new(registry)
}

fn calls(name: &str, count: usize) -> Vec<ToolCall> {
    (0..count)
        .map(|number| ToolCall::new(format!("c{number}"), name, json!({ "n": number })))
        .collect()
}

fn sleeper(name: &'static str, millis: u64) -> Made {
    Made::new(name, move |args: Value| async move {
        tokio::time::sleep(Duration::from_millis(millis)).await;
        Ok(ToolResult::success(args["n"].to_string()))
    })
}

async fn run(dispatcher: &Dispatcher, ctx: &RunContext, calls: Vec<ToolCall>) -> Batch {
    dispatcher.dispatch(&(), ctx, calls).await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn safe_neighbours_run_together_up_to_the_bound_and_are_answered_in_call_order() {
    let running = Arc::new(AtomicUsize::new(0));
    let most = Arc::new(AtomicUsize::new(0));
    let (now, peak) = (Arc::clone(&running), Arc::clone(&most));
    let tool = Made::new("work", move |args: Value| {
        let (now, peak) = (Arc::clone(&now), Arc::clone(&peak));
        async move {
            peak.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            let number = args["n"].as_u64().unwrap();
            tokio::time::sleep(Duration::from_millis(100 - number)).await;
            now.fetch_sub(1, Ordering::SeqCst);
            Ok(ToolResult::success(number.to_string()))
        }
    })
    .concurrent();
    let policy = RunPolicy {
        max_concurrent_tools: 4,
        ..RunPolicy::default()
    };
    let started = Instant::now();
    let batch = run(
        &dispatcher([tool]).with_policy(policy),
        &RunContext::new(),
        calls("work", 12),
    )
    .await;
    let rows: Vec<&str> = batch
        .messages
        .iter()
        .map(|row| row.content.as_str())
        .collect();
    assert_eq!(
        rows,
        ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"]
    );
    assert_eq!(most.load(Ordering::SeqCst), 4);
    assert!(
        started.elapsed() < Duration::from_millis(320),
        "{:?}",
        started.elapsed()
    );
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_not_safe_is_a_barrier() {
    let order = Arc::new(Mutex::new(Vec::new()));
    let make = |name: &'static str| {
        let order = Arc::clone(&order);
        Made::new(name, move |args: Value| {
            let order = Arc::clone(&order);
            async move {
                let number = args["n"].as_u64().unwrap();
                order.lock().unwrap().push(format!("+{number}"));
                tokio::time::sleep(Duration::from_millis(10)).await;
                order.lock().unwrap().push(format!("-{number}"));
                Ok(ToolResult::success(""))
            }
        })
    };
    let dispatcher = dispatcher([make("safe").concurrent(), make("alone")]);
    let names = ["safe", "safe", "alone", "safe"];
    let calls = names
        .iter()
        .enumerate()
        .map(|(number, name)| ToolCall::new(format!("c{number}"), *name, json!({ "n": number })));
    run(&dispatcher, &RunContext::new(), calls.collect()).await;
    let order = order.lock().unwrap().join(" ");
    assert_eq!(order, "+0 +1 -0 -1 +2 -2 +3 -3");
}

#[tokio::test(start_paused = true)]
async fn cancellation_answers_what_ran_and_what_had_not_started() {
    let token = CancellationToken::new();
    let ctx = RunContext::new().with_cancellation(token.clone());
    let tool = sleeper("slow", 10_000).policy(ToolPolicy::classified());
    let dispatcher = dispatcher([tool.clone()]);
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(5)).await;
        token.cancel();
    });
    let batch = run(&dispatcher, &ctx, calls("slow", 2)).await;
    assert_eq!(batch.stop, Some(StopReason::Cancelled));
    assert!(batch.messages[0].content.contains("may have happened"));
    assert_eq!(batch.messages[1].content, "not run: the run was cancelled");
    assert_eq!(tool.runs(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_read_only_call_that_is_cancelled_admits_no_effect() {
    let token = CancellationToken::new();
    let ctx = RunContext::new().with_cancellation(token.clone());
    let dispatcher = dispatcher([sleeper("slow", 10_000)]);
    tokio::spawn(async move { token.cancel() });
    let batch = run(&dispatcher, &ctx, calls("slow", 1)).await;
    assert_eq!(batch.messages[0].content, "`slow` was cancelled");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_not_cancelable_finishes() {
    let token = CancellationToken::new();
    let ctx = RunContext::new().with_cancellation(token.clone());
    let mut policy = ToolPolicy::classified();
    policy.runtime.cancelable = false;
    let dispatcher = dispatcher([sleeper("slow", 100).policy(policy)]);
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(5)).await;
        token.cancel();
    });
    let batch = run(&dispatcher, &ctx, calls("slow", 1)).await;
    assert_eq!(batch.messages[0].content, "0");
}

#[tokio::test(start_paused = true)]
async fn the_deadline_of_the_run_ends_a_call() {
    let ctx = RunContext::new().with_deadline(Instant::now() + Duration::from_millis(20));
    let dispatcher = dispatcher([sleeper("slow", 10_000)]);
    let batch = run(&dispatcher, &ctx, calls("slow", 2)).await;
    assert_eq!(batch.stop, Some(StopReason::Deadline));
    assert_eq!(
        batch.messages[1].content,
        "not run: the time of the run is over"
    );
}

/// A tool that fails with what `error` makes, until its third run.
fn flaky(policy: ToolPolicy, error: fn() -> anyhow::Error) -> Made {
    let runs = Arc::new(AtomicUsize::new(0));
    Made::new("flaky", move |_| {
        let run = runs.fetch_add(1, Ordering::SeqCst);
        async move {
            if run < 2 {
                return Err(error());
            }
            Ok(ToolResult::success("at last"))
        }
    })
    .policy(policy)
}

fn retrying(mut policy: ToolPolicy) -> ToolPolicy {
    policy.runtime.max_retries = 2;
    policy
}

#[tokio::test(start_paused = true)]
async fn a_transient_failure_of_a_repeatable_tool_is_tried_again_with_an_event_each() {
    let log = EventLog::new();
    let ctx = RunContext::new().with_events(log.clone());
    let wait =
        || ToolError::transient_after(anyhow::anyhow!("busy"), Duration::from_secs(7)).into();
    let tool = flaky(retrying(ToolPolicy::read_only()), wait);
    let started = Instant::now();
    let batch = run(&dispatcher([tool.clone()]), &ctx, calls("flaky", 1)).await;
    assert_eq!(batch.messages[0].content, "at last");
    assert_eq!(tool.runs(), 3);
    assert!(started.elapsed() >= Duration::from_secs(14));
    let retried = |event: &&AgentEvent| matches!(event, AgentEvent::ToolRetried { .. });
    assert_eq!(log.events().iter().filter(retried).count(), 2);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_repeated_that_may_not_be() {
    let foreign = || anyhow::anyhow!("lost connection");
    for (policy, error, runs) in [
        (
            retrying(ToolPolicy::classified()),
            foreign as fn() -> anyhow::Error,
            1,
        ),
        (ToolPolicy::read_only(), foreign, 1),
        (retrying(ToolPolicy::read_only()), foreign, 3),
        (
            retrying(ToolPolicy::read_only()),
            || ToolError::retry("use an ISO date").into(),
            1,
        ),
        (
            retrying(ToolPolicy::read_only()),
            || ToolError::failed("no").into(),
            1,
        ),
        (
            retrying(ToolPolicy::read_only()),
            || ToolError::fatal(anyhow::anyhow!("no")).into(),
            1,
        ),
    ] {
        let tool = flaky(policy, error);
        run(
            &dispatcher([tool.clone()]),
            &RunContext::new(),
            calls("flaky", 1),
        )
        .await;
        assert_eq!(tool.runs(), runs, "{}", error());
    }
}

#[tokio::test(start_paused = true)]
async fn no_wait_reaches_beyond_the_deadline() {
    let ctx = RunContext::new().with_deadline(Instant::now() + Duration::from_secs(5));
    let wait =
        || ToolError::transient_after(anyhow::anyhow!("busy"), Duration::from_secs(7)).into();
    let tool = flaky(retrying(ToolPolicy::read_only()), wait);
    let started = Instant::now();
    let batch = run(&dispatcher([tool]), &ctx, calls("flaky", 1)).await;
    assert_eq!(batch.messages[0].content, "busy");
    assert!(started.elapsed() < Duration::from_secs(1));
}

#[tokio::test(start_paused = true)]
async fn each_attempt_has_the_whole_timeout() {
    let mut policy = retrying(ToolPolicy::read_only());
    policy.runtime.timeout_ms = Some(50);
    let tool = sleeper("slow", 1000).policy(policy);
    let batch = run(
        &dispatcher([tool.clone()]),
        &RunContext::new(),
        calls("slow", 1),
    )
    .await;
    assert_eq!(tool.runs(), 3);
    assert_eq!(batch.messages[0].content, "`slow` timed out after 50 ms");
}

#[tokio::test(start_paused = true)]
async fn a_dropped_dispatch_leaves_no_running_tool() {
    struct Dropped(Arc<AtomicBool>);
    impl Drop for Dropped {
        fn drop(&mut self) {
            self.0.store(true, Ordering::SeqCst);
        }
    }
    let dropped = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&dropped);
    let tool = Made::new("slow", move |_| {
        let guard = Dropped(Arc::clone(&flag));
        async move {
            std::future::pending::<()>().await;
            drop(guard);
            Ok(ToolResult::success(""))
        }
    });
    let dispatcher = dispatcher([tool]);
    let ctx = RunContext::new();
    let waiting = run(&dispatcher, &ctx, calls("slow", 1));
    assert!(
        tokio::time::timeout(Duration::from_millis(5), waiting)
            .await
            .is_err()
    );
    assert!(dropped.load(Ordering::SeqCst));
}

struct Blocks {
    saw_cancellation: Arc<AtomicBool>,
}

#[async_trait]
impl Tool for Blocks {
    fn name(&self) -> &'static str {
        "blocks"
    }

    fn description(&self) -> &'static str {
        "Blocks its thread."
    }

    fn parameters_schema(&self) -> Value {
        json!({ "type": "object" })
    }

    fn is_blocking(&self) -> bool {
        true
    }

    fn policy(&self) -> ToolPolicy {
        ToolPolicy::read_only()
    }

    fn timeout_policy(&self, args: &Value) -> ToolTimeout {
        match args["wait"] {
            Value::Bool(true) => ToolTimeout::Millis(30),
            _ => ToolTimeout::Unbounded,
        }
    }

    async fn execute(&self, _: Value) -> anyhow::Result<ToolResult> {
        anyhow::bail!("needs a context")
    }

    async fn execute_with_context(
        &self,
        args: Value,
        _: ToolCallOptions,
        ctx: Option<&dyn ToolRunContext>,
    ) -> anyhow::Result<ToolResult> {
        assert!(args["panic"].is_null(), "asked to panic");
        while args["wait"] == true && !ctx.is_some_and(ToolRunContext::is_cancelled) {
            std::thread::sleep(Duration::from_millis(1));
        }
        self.saw_cancellation
            .store(args["wait"] == true, Ordering::SeqCst);
        Ok(ToolResult::success("done"))
    }
}

#[tokio::test]
async fn a_blocking_tool_runs_off_the_async_threads_and_sees_that_it_was_given_up() {
    let saw_cancellation = Arc::new(AtomicBool::new(false));
    let mut registry = ToolRegistry::new();
    registry
        .register(Blocks {
            saw_cancellation: Arc::clone(&saw_cancellation),
        })
        .unwrap();
    let dispatcher = Dispatcher::new(registry);
    let ctx = RunContext::new();
    let call = |id: &str, args: Value| ToolCall::new(id, "blocks", args);
    let calls = vec![
        call("a", json!({})),
        call("b", json!({ "panic": 1 })),
        call("c", json!({ "wait": true })),
    ];
    let batch = run(&dispatcher, &ctx, calls).await;
    assert_eq!(batch.messages[0].content, "done");
    assert_eq!(batch.messages[1].content, "`blocks` failed unexpectedly");
    assert!(batch.messages[2].content.contains("timed out"));
    while !saw_cancellation.load(Ordering::SeqCst) {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}
