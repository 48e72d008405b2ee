//! Calls that waited, and what a resumed run makes of them.

#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod deferral_support;
mod lifecycle_support;

use deferral_support::{Seen, ask_user, ids, kinds, pay, resume, rows};
use lifecycle_support::{Made, add, call, go, harness};
use serde_json::json;
use tinyagents::model::{Message, ScriptedModel};
use tinyagents::runtime::StopReason;
use tinyagents::tinytools::{ToolContent, ToolError, ToolPolicy, ToolResult};
use tinyagents::{
    AgentEvent, DeferredToolRequests, DeferredToolResults, EventLog, RunContext, TinyAgentsError,
};

#[tokio::test]
async fn every_answer_has_its_row_in_call_order_and_finished_siblings_never_run_twice() {
    let model = ScriptedModel::new()
        .calls([
            ("pay", json!({ "to": "ada" })),
            ("add", json!({ "a": 1, "b": 2 })),
            ("ask_user", json!({ "q": 1 })),
            ("pay", json!({ "to": "bob" })),
            ("ask_user", json!({ "q": 2 })),
            ("ask_user", json!({ "q": 3 })),
        ])
        .text("done");
    let (pay, adder) = (pay(), add());
    let mut harness = harness(model, [adder.clone()]);
    harness.register_tool(pay.clone()).unwrap();
    harness.register_external_tool(ask_user()).unwrap();
    let paused = go(&harness).await;
    let pending = paused.deferred.clone().unwrap();
    assert_eq!(ids(&pending.approvals), ["call-1", "call-4"]);
    assert_eq!(ids(&pending.calls), ["call-3", "call-5", "call-6"]);
    let results = DeferredToolResults::new()
        .respond("call-6", ToolResult::success("blue"))
        .deny("call-4", "not bob")
        .retry("call-5", "say it in Norwegian")
        .fail("call-3", "nobody there")
        .approve("call-1");
    assert!(pending.remaining(&results).is_empty());
    let run = resume(&harness, RunContext::new(), paused.messages, results)
        .await
        .unwrap();
    assert_eq!(
        rows(&run),
        [
            ("call-1", "paid {\"to\":\"ada\"} true", false),
            ("call-2", "3", false),
            ("call-3", "nobody there", true),
            ("call-4", "not bob", true),
            ("call-5", "say it in Norwegian", true),
            ("call-6", "blue", false),
        ]
    );
    assert_eq!((pay.runs(), adder.runs()), (1, 1));
    assert_eq!(run.executed_tools, ["pay"]);
    assert_eq!(run.stop, StopReason::Finished);
    assert_eq!(run.final_text.as_deref(), Some("done"));
    assert!(run.deferred.is_none());
    let turn = run.messages.iter().find_map(Message::as_assistant).unwrap();
    assert!(turn.deferred.is_none());
}

#[tokio::test]
async fn a_paused_run_survives_serialisation_of_transcript_requests_and_results() {
    let model = ScriptedModel::new()
        .call("pay", json!({ "to": "ada" }))
        .text("done");
    let mut harness = harness(model, []);
    harness.register_tool(pay()).unwrap();
    let paused = go(&harness).await;
    let pending = paused.deferred.unwrap();
    let text = serde_json::to_string(&pending).unwrap();
    let read: DeferredToolRequests = serde_json::from_str(&text).unwrap();
    assert_eq!(read, pending);
    let results = serde_json::to_string(&read.approve_all()).unwrap();
    let messages = serde_json::to_string(&paused.messages).unwrap();
    let run = resume(
        &harness,
        RunContext::new(),
        serde_json::from_str(&messages).unwrap(),
        serde_json::from_str(&results).unwrap(),
    )
    .await
    .unwrap();
    assert_eq!(rows(&run)[0].1, "paid {\"to\":\"ada\"} true");
}

#[tokio::test]
async fn one_error_lists_every_id_that_does_not_fit_and_nothing_runs() {
    let model = ScriptedModel::new().calls([
        ("pay", json!({ "to": "ada" })),
        ("echo", json!({})),
        ("ask_user", json!({})),
        ("pay", json!({ "to": "bob" })),
        ("pay", json!({ "to": "eve" })),
    ]);
    let pay = pay();
    let mut harness = harness(model, [Made::echo("echo")]);
    harness.register_tool(pay.clone()).unwrap();
    harness.register_external_tool(ask_user()).unwrap();
    let paused = go(&harness).await;
    let results = DeferredToolResults::new()
        .approve("call-1")
        .approve("nowhere")
        .approve("call-2")
        .approve("call-3")
        .deny("call-1", "twice");
    let remaining = paused.deferred.as_ref().unwrap().remaining(&results);
    assert_eq!(ids(&remaining.approvals), ["call-4", "call-5"]);
    assert!(remaining.calls.is_empty());
    let error = resume(&harness, RunContext::new(), paused.messages, results)
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "the results don't fit the deferred calls: unknown: `nowhere`; answered more than once: `call-1`; \
         already answered: `call-2`; without an answer: `call-4`, `call-5`; \
         approved, but waiting for a result: `call-3`"
    );
    let TinyAgentsError::DeferredResults(faults) = error else {
        panic!("{error}");
    };
    assert_eq!(faults.missing, ["call-4", "call-5"]);
    assert_eq!(pay.runs(), 0);
}

#[tokio::test]
async fn a_run_can_not_be_resumed_twice() {
    let model = ScriptedModel::new()
        .call("pay", json!({ "to": "ada" }))
        .text("done");
    let pay = pay();
    let mut harness = harness(model, []);
    harness.register_tool(pay.clone()).unwrap();
    let paused = go(&harness).await;
    let approve = DeferredToolResults::new().approve("call-1");
    let run = resume(
        &harness,
        RunContext::new(),
        paused.messages,
        approve.clone(),
    )
    .await
    .unwrap();
    let again = resume(&harness, RunContext::new(), run.messages, approve).await;
    assert!(
        again
            .unwrap_err()
            .to_string()
            .contains("no deferred requests")
    );
    assert_eq!(pay.runs(), 1);
}

#[tokio::test]
async fn a_denial_and_a_hosts_result_are_told_as_an_answer_is_and_run_nothing() {
    let model = ScriptedModel::new()
        .calls([("pay", json!({ "to": "ada" })), ("ask_user", json!({}))])
        .text("done");
    let mut harness = harness(model, []);
    harness.register_tool(pay()).unwrap();
    harness.register_external_tool(ask_user()).unwrap();
    let seen = Seen::default();
    harness.with_middleware(seen.clone());
    let paused = go(&harness).await;
    let log = EventLog::new();
    let results = DeferredToolResults::new()
        .deny("call-1", "no money")
        .respond("call-2", ToolResult::success("blue"));
    let ctx = RunContext::new().with_events(log.clone());
    let run = resume(&harness, ctx, paused.messages, results)
        .await
        .unwrap();
    assert_eq!(
        kinds(&log, "call-1"),
        ["tool.denied", "tool.started", "tool.completed"]
    );
    assert_eq!(kinds(&log, "call-2"), ["tool.started", "tool.completed"]);
    assert_eq!(seen.after(), ["pay: no money", "ask_user: blue"]);
    assert!(run.executed_tools.is_empty());
    assert!(log.events().iter().any(
        |event| matches!(event, AgentEvent::ToolDenied { message, .. } if message == "no money")
    ));
}

#[tokio::test]
async fn an_approval_is_told_before_the_call_runs() {
    let model = ScriptedModel::new()
        .call("pay", json!({ "to": "ada" }))
        .text("done");
    let mut harness = harness(model, []);
    harness.register_tool(pay()).unwrap();
    let paused = go(&harness).await;
    let log = EventLog::new();
    let ctx = RunContext::new().with_events(log.clone());
    let approve = DeferredToolResults::new().approve("call-1");
    resume(&harness, ctx, paused.messages, approve)
        .await
        .unwrap();
    assert_eq!(
        kinds(&log, "call-1"),
        ["tool.approved", "tool.started", "tool.completed"]
    );
}

#[tokio::test]
async fn follow_ups_before_and_after_the_pause_are_one_user_message_after_the_rows() {
    let look = Made::new("look", |_| async {
        Ok(ToolResult::success("here").with_follow_up(ToolContent::text("first")))
    });
    let model = ScriptedModel::new()
        .calls([("look", json!({})), ("ask_user", json!({}))])
        .text("done");
    let mut harness = harness(model, [look]);
    harness.register_external_tool(ask_user()).unwrap();
    let paused = go(&harness).await;
    let result = ToolResult::success("blue").with_follow_up(ToolContent::text("second"));
    let results = DeferredToolResults::new().respond("call-2", result);
    let run = resume(&harness, RunContext::new(), paused.messages, results)
        .await
        .unwrap();
    let texts: Vec<&str> = run.messages.iter().map(Message::text).collect();
    assert_eq!(texts, ["go", "", "here", "blue", "first\nsecond", "done"]);
}

#[tokio::test]
async fn a_dispatcher_resumes_without_a_loop() {
    let tools = [add()];
    let mut registry = tinyagents::ToolRegistry::new();
    registry.register(pay()).unwrap();
    for tool in tools {
        registry.register(tool).unwrap();
    }
    registry.register_external(ask_user()).unwrap();
    let dispatcher = tinyagents::Dispatcher::new(registry);
    let ctx = RunContext::new();
    let calls = vec![
        call("z", "ask_user"),
        call("a", "pay"),
        call("b", "ask_user"),
    ];
    let batch = dispatcher.dispatch(&(), &ctx, calls).await.unwrap();
    let requests = batch.deferred.unwrap();
    let results = requests
        .approve_all()
        .respond("b", ToolResult::success("two"))
        .respond("z", ToolResult::success("one"));
    let batch = dispatcher
        .resume(&(), &ctx, requests.clone(), results)
        .await
        .unwrap();
    let texts: Vec<&str> = batch
        .messages
        .iter()
        .map(|row| row.content.as_str())
        .collect();
    assert_eq!(texts, ["one", "paid {} true", "two"]);
    assert_eq!(batch.executed_tools.len(), 1);
    let missing = dispatcher
        .resume(&(), &ctx, requests, DeferredToolResults::new())
        .await
        .unwrap_err();
    assert!(
        missing
            .to_string()
            .contains("without an answer: `z`, `a`, `b`"),
        "{missing}"
    );
}

#[tokio::test]
async fn a_tool_that_defers_after_its_approval_waits_for_a_result() {
    let job = Made::new("job", |_| async {
        Err(ToolError::deferred(json!({ "job": 7 })).into())
    })
    .policy(ToolPolicy::classified().requiring_approval());
    let model = ScriptedModel::new().call("job", json!({})).text("done");
    let harness = harness(model, [job.clone()]);
    let paused = go(&harness).await;
    let approve = DeferredToolResults::new().approve("call-1");
    let started = resume(&harness, RunContext::new(), paused.messages, approve)
        .await
        .unwrap();
    assert_eq!(started.stop, StopReason::Deferred);
    let pending = started.deferred.unwrap();
    assert_eq!(ids(&pending.calls), ["call-1"]);
    assert!(pending.approvals.is_empty());
    assert_eq!(pending.metadata["call-1"], json!({ "job": 7 }));
    let results = DeferredToolResults::new().respond("call-1", ToolResult::success("42"));
    let run = resume(&harness, RunContext::new(), started.messages, results)
        .await
        .unwrap();
    assert_eq!(rows(&run), [("call-1", "42", false)]);
    assert_eq!(job.runs(), 1);
}
