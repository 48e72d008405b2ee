//! Limits and the end of a run, where calls waited.

#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod deferral_support;
mod lifecycle_support;

use deferral_support::{ask_user, pay, resume, rows};
use lifecycle_support::{go, harness};
use serde_json::json;
use tinyagents::model::{Message, ScriptedModel};
use tinyagents::runtime::{RunLimits, StopReason};
use tinyagents::tinytools::ToolResult;
use tinyagents::{DeferredToolResults, RunContext};

#[tokio::test]
async fn the_answers_of_a_resumed_turn_count_towards_the_limits_of_the_run_that_resumes() {
    let model = || {
        ScriptedModel::new()
            .calls([
                ("pay", json!({ "to": "ada" })),
                ("pay", json!({ "to": "bob" })),
            ])
            .text("done")
    };
    let pay = pay();
    let mut harness = harness(model(), []);
    harness.register_tool(pay.clone()).unwrap();
    let one = RunLimits {
        max_tool_calls: 1,
        ..RunLimits::default()
    };
    // What is deferred gives its slot back, so the second call is not refused for the first one.
    let mut messages = harness
        .invoke_in_context(&(), RunContext::new(), vec![Message::user("go")])
        .await
        .unwrap()
        .messages;
    let both = DeferredToolResults::new()
        .approve("call-1")
        .approve("call-2");
    let ctx = RunContext::new().with_limits(&one);
    let run = resume(&harness, ctx, messages.clone(), both).await.unwrap();
    assert_eq!(pay.runs(), 1);
    assert_eq!(rows(&run)[1].1, "not run: limit");
    assert!(matches!(run.stop, StopReason::Limit(_)));

    // A result that is there is not lost to a limit.
    let ctx = RunContext::new().with_limits(&one);
    let both = DeferredToolResults::new()
        .deny("call-1", "no")
        .respond("call-2", ToolResult::success("paid by hand"));
    let run = resume(&harness, ctx, std::mem::take(&mut messages), both)
        .await
        .unwrap();
    assert_eq!(rows(&run)[1].1, "paid by hand");
    assert!(matches!(run.stop, StopReason::Limit(_)));
}

#[tokio::test]
async fn a_deferred_call_takes_no_slot_of_its_run() {
    let model = ScriptedModel::new().call("pay", json!({ "to": "ada" }));
    let mut harness = harness(model, []);
    harness.register_tool(pay()).unwrap();
    let ctx = RunContext::new().with_limits(RunLimits {
        max_tool_calls: 1,
        ..RunLimits::default()
    });
    let budget = ctx.clone();
    let run = harness.invoke_in_context(&(), ctx, vec![]).await.unwrap();
    assert_eq!(run.stop, StopReason::Deferred);
    assert_eq!(budget.budget().remaining_tool_calls(), Some(1));
}

#[tokio::test]
async fn a_cancelled_resumption_runs_nothing_and_answers_every_call() {
    let model =
        ScriptedModel::new().calls([("pay", json!({ "to": "ada" })), ("ask_user", json!({}))]);
    let pay = pay();
    let mut harness = harness(model, []);
    harness.register_tool(pay.clone()).unwrap();
    harness.register_external_tool(ask_user()).unwrap();
    let paused = go(&harness).await;
    let ctx = RunContext::new();
    ctx.cancel();
    let results = DeferredToolResults::new()
        .approve("call-1")
        .respond("call-2", ToolResult::success("blue"));
    let run = resume(&harness, ctx, paused.messages, results)
        .await
        .unwrap();
    assert_eq!(
        rows(&run),
        [
            ("call-1", "not run: the run was cancelled", true),
            ("call-2", "blue", false)
        ]
    );
    assert_eq!((run.stop, pay.runs()), (StopReason::Cancelled, 0));
}

#[tokio::test]
async fn corrections_that_a_host_asks_for_count_towards_the_tools_budget() {
    let turn = || ("ask_user", json!({}));
    let model = ScriptedModel::new()
        .calls([turn(), turn(), turn(), turn()])
        .text("done");
    let mut harness = harness(model, []);
    harness.register_external_tool(ask_user()).unwrap();
    let paused = go(&harness).await;
    let ids = ["call-1", "call-2", "call-3", "call-4"];
    let results = ids
        .into_iter()
        .fold(DeferredToolResults::new(), |results, id| {
            results.retry(id, format!("in Norwegian, {id}"))
        });
    let run = resume(&harness, RunContext::new(), paused.messages, results)
        .await
        .unwrap();
    assert_eq!(rows(&run)[2].1, "in Norwegian, call-3");
    assert_eq!(
        rows(&run)[3].1,
        "in Norwegian, call-4; do not call `ask_user` for this again"
    );
}
