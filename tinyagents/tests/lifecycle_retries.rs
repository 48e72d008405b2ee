//! Repeated attempts, in paused time.

#![allow(missing_docs, clippy::unwrap_used)]

mod lifecycle_support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use lifecycle_support::{Made, calls, dispatcher, run, sleeper};
use tinyagents::tinytools::{ToolError, ToolPolicy, ToolResult};
use tinyagents::{AgentEvent, EventLog, RunContext};
use tokio::time::Instant;

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
