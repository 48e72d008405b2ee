//! The bounds of a run, and what happens to the calls beyond them.

#![allow(missing_docs, clippy::unwrap_used)]

mod lifecycle_support;

use lifecycle_support::{Made, call, dispatch, dispatcher};
use serde_json::json;
use tinyagents::runtime::{LimitKind, RunLimits, RunPolicy, StopReason};
use tinyagents::{RunContext, ToolCall};

#[tokio::test]
async fn calls_past_a_limit_are_answered_not_run() {
    let tool = Made::echo("echo").concurrent();
    let policy = RunPolicy {
        limits: RunLimits {
            max_tool_calls: 2,
            ..RunLimits::default()
        },
        ..RunPolicy::default()
    };
    let dispatcher = dispatcher([tool.clone()]).with_policy(policy);
    let calls = vec![call("a", "echo"), call("b", "missing"), call("c", "echo")];
    let batch = dispatch(&dispatcher, &RunContext::new(), calls).await;
    assert_eq!(batch.messages[2].content, "not run: limit");
    assert!(matches!(batch.stop, Some(StopReason::Limit(_))));
    assert_eq!(tool.runs(), 1);
}

#[tokio::test]
async fn the_same_failure_over_and_over_stops_the_run() {
    let failing = Made::new("failing", |_| async { anyhow::bail!("no") });
    let dispatcher = dispatcher([failing]);
    let ctx = RunContext::new();
    for turn in 1..=5 {
        let batch = dispatch(
            &dispatcher,
            &ctx,
            vec![call(&format!("c{turn}"), "failing")],
        )
        .await;
        assert_eq!(batch.stop.is_some(), turn == 5, "turn {turn}");
    }
}

fn limited(limits: RunLimits) -> RunPolicy {
    RunPolicy {
        limits,
        ..RunPolicy::default()
    }
}

#[tokio::test]
async fn calls_of_one_tool_are_limited_over_the_whole_run_and_others_go_on() {
    let (one, other) = (Made::echo("one"), Made::echo("other"));
    let dispatcher = dispatcher([one.clone(), other.clone()]).with_policy(limited(RunLimits {
        max_calls_per_tool: Some(2),
        ..RunLimits::default()
    }));
    let ctx = RunContext::new();
    let batch = dispatch(&dispatcher, &ctx, vec![call("a", "one"), call("b", "one")]).await;
    assert_eq!(batch.stop, None);
    let calls = vec![call("c", "one"), call("d", "other")];
    let batch = dispatch(&dispatcher, &ctx, calls).await;
    assert_eq!(batch.messages[0].content, "not run: limit");
    assert_eq!(batch.messages[1].content, "{}");
    let limit = LimitKind::CallsPerTool {
        tool_name: "one".into(),
        limit: 2,
    };
    assert_eq!(batch.stop, Some(StopReason::Limit(limit)));
    assert_eq!((one.runs(), other.runs()), (2, 1));
}

#[tokio::test]
async fn only_equal_failures_in_a_row_count_as_identical() {
    let failing = Made::new("failing", |_| async { anyhow::bail!("no") });
    let dispatcher = dispatcher([failing, Made::echo("echo")]).with_policy(limited(RunLimits {
        identical_failures: 2,
        ..RunLimits::default()
    }));
    let ctx = RunContext::new();
    let with = |n: u32| ToolCall::new(format!("c{n}"), "failing", json!({ "n": n }));
    for calls in [
        vec![with(1), with(2)],
        vec![with(1)],
        vec![call("x", "echo"), with(1)],
    ] {
        let batch = dispatch(&dispatcher, &ctx, calls).await;
        assert_eq!(batch.stop, None);
    }
    let batch = dispatch(&dispatcher, &ctx, vec![with(1)]).await;
    let limit = LimitKind::IdenticalFailures(2);
    assert_eq!(batch.stop, Some(StopReason::Limit(limit)));
}
