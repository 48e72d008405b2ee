//! Concurrency, time and cancellation, in paused time.

#![allow(missing_docs, clippy::unwrap_used)]

mod lifecycle_support;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use lifecycle_support::{Made, calls, dispatcher, run, sleeper};
use serde_json::{Value, json};
use tinyagents::runtime::{Dispatcher, RunLimits, RunPolicy, StopReason, ToolRegistry};
use tinyagents::tinytools::{
    Tool, ToolCallOptions, ToolPolicy, ToolResult, ToolRunContext, ToolTimeout, async_trait,
};
use tinyagents::{RunContext, ToolCall};
use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

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
    /// Told when a call that was asked to wait has begun, and when it has ended.
    begun: Arc<Notify>,
    ended: Arc<Notify>,
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
        if let (true, Some(ctx)) = (args["wait"] == true, ctx) {
            self.begun.notify_one();
            ctx.cancelled().await;
            assert!(ctx.is_cancelled());
        }
        if args["wait"] == true {
            self.saw_cancellation.store(true, Ordering::SeqCst);
            self.ended.notify_one();
        }
        Ok(ToolResult::success("done"))
    }
}

#[tokio::test(start_paused = true)]
async fn a_blocking_tool_runs_off_the_async_threads_and_sees_that_it_was_given_up() {
    let saw_cancellation = Arc::new(AtomicBool::new(false));
    let (begun, ended) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let mut registry = ToolRegistry::new();
    registry
        .register(Blocks {
            saw_cancellation: Arc::clone(&saw_cancellation),
            begun: Arc::clone(&begun),
            ended: Arc::clone(&ended),
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
    // Its time is over only once its thread has begun, however long that takes.
    let passing = async {
        begun.notified().await;
        tokio::time::advance(Duration::from_secs(1)).await;
    };
    let (batch, ()) = tokio::join!(run(&dispatcher, &ctx, calls), passing);
    assert_eq!(batch.messages[0].content, "done");
    assert_eq!(batch.messages[1].content, "`blocks` failed unexpectedly");
    assert!(batch.messages[2].content.contains("timed out"));
    ended.notified().await;
    assert!(saw_cancellation.load(Ordering::SeqCst));
}

fn wall_clock(seconds: u64) -> RunLimits {
    RunLimits {
        wall_clock: Some(Duration::from_secs(seconds)),
        ..RunLimits::default()
    }
}

#[tokio::test(start_paused = true)]
async fn the_wall_clock_of_policy_or_context_ends_a_call_of_a_dispatcher() {
    let plain = || dispatcher([sleeper("slow", 60_000)]);
    let policy = RunPolicy {
        limits: wall_clock(3),
        ..RunPolicy::default()
    };
    for (dispatcher, ctx) in [
        (plain().with_policy(policy.clone()), RunContext::new()),
        (plain(), RunContext::new().with_limits(wall_clock(3))),
        (
            plain().with_policy(policy),
            RunContext::new().with_limits(wall_clock(9)),
        ),
    ] {
        let started = Instant::now();
        let batch = run(&dispatcher, &ctx, calls("slow", 2)).await;
        assert_eq!(batch.stop, Some(StopReason::Deadline));
        assert_eq!(started.elapsed(), Duration::from_secs(3));
        assert!(batch.messages[0].content.contains("the time of the run"));
        assert_eq!(ctx.budget().remaining_time(), Some(Duration::ZERO));
    }
}

#[tokio::test(start_paused = true)]
async fn the_wall_clock_counts_from_the_first_dispatch_of_the_run() {
    let dispatcher = dispatcher([sleeper("work", 2_000)]);
    let ctx = RunContext::new().with_limits(wall_clock(5));
    tokio::time::advance(Duration::from_mins(1)).await;
    assert_eq!(ctx.budget().remaining_time(), None, "not begun");
    for left in [3, 1] {
        let batch = run(&dispatcher, &ctx, calls("work", 1)).await;
        assert_eq!(batch.stop, None);
        assert_eq!(
            ctx.budget().remaining_time(),
            Some(Duration::from_secs(left))
        );
    }
    let child = ctx.child().with_limits(wall_clock(4));
    let batch = run(&dispatcher, &child, calls("work", 1)).await;
    assert_eq!(batch.stop, Some(StopReason::Deadline), "its parent's time");
}

#[tokio::test(start_paused = true)]
async fn a_run_overrides_the_time_that_a_tool_states_itself() {
    let own = |name, millis| {
        let mut policy = ToolPolicy::read_only();
        policy.runtime.timeout_ms = Some(millis);
        Made::new(name, |_| async {
            tokio::time::sleep(Duration::from_millis(500)).await;
            Ok(ToolResult::success("done"))
        })
        .policy(policy)
    };
    let tools = || [own("long", 9_000), own("short", 10), own("other", 9_000)];
    let calls = || ["long", "short", "other"].map(|name| ToolCall::new(name, name, json!({})));
    let outcomes = async |policy| {
        let dispatcher = dispatcher(tools()).with_policy(policy);
        let batch = run(&dispatcher, &RunContext::new(), calls().to_vec()).await;
        batch
            .messages
            .iter()
            .map(|row| !row.is_error)
            .collect::<Vec<_>>()
    };
    assert_eq!(outcomes(RunPolicy::default()).await, [true, false, true]);
    let policy = RunPolicy {
        default_tool_timeout: Some(Duration::from_millis(100)),
        tool_timeouts: [
            ("long".to_owned(), ToolTimeout::Millis(100)),
            ("short".to_owned(), ToolTimeout::Unbounded),
            ("other".to_owned(), ToolTimeout::Inherit),
        ]
        .into(),
        ..RunPolicy::default()
    };
    assert_eq!(outcomes(policy).await, [false, true, false]);
}
