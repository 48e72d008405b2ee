//! Deferred calls that are answered while the run waits.

#![allow(missing_docs, clippy::unwrap_used)]

mod deferral_support;
mod lifecycle_support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use deferral_support::{Pay, ids, pay, resume, rows};
use lifecycle_support::{Made, go, harness};
use serde_json::json;
use tinyagents::model::{Message, ScriptedModel};
use tinyagents::runtime::StopReason;
use tinyagents::tinytools::{ToolResult, async_trait};
use tinyagents::{
    DeferredToolHandler, DeferredToolRequests, DeferredToolResults, RunContext, TinyAgentsError,
};

type Answer =
    dyn Fn(&DeferredToolRequests) -> Result<DeferredToolResults, TinyAgentsError> + Send + Sync;

/// Answers as it is told, and counts how often it was asked.
#[derive(Clone)]
struct Answers(Arc<Answer>, Arc<AtomicUsize>);

impl Answers {
    fn new(
        answer: impl Fn(&DeferredToolRequests) -> Result<DeferredToolResults, TinyAgentsError>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        Self(Arc::new(answer), Arc::default())
    }

    fn asked(&self) -> usize {
        self.1.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl DeferredToolHandler for Answers {
    async fn handle(
        &self,
        _: &RunContext,
        requests: &DeferredToolRequests,
    ) -> Result<DeferredToolResults, TinyAgentsError> {
        self.1.fetch_add(1, Ordering::SeqCst);
        (self.0)(requests)
    }
}

fn two() -> ScriptedModel {
    ScriptedModel::new()
        .calls([
            ("pay", json!({ "to": "ada" })),
            ("echo", json!({})),
            ("pay", json!({ "to": "bob" })),
        ])
        .text("done")
}

#[tokio::test]
async fn a_run_whose_handler_answers_everything_does_not_pause() {
    let tool = pay();
    let mut harness = harness(two(), [Made::echo("echo")]);
    harness.register_tool(tool.clone()).unwrap();
    let handler = Answers::new(|requests| Ok(requests.approve_all()));
    harness.with_deferred_tool_handler(handler.clone());
    let run = go(&harness).await;
    assert_eq!(run.stop, StopReason::Finished);
    assert!(run.deferred.is_none());
    let order: Vec<&str> = rows(&run).iter().map(|row| row.0).collect();
    assert_eq!(order, ["call-1", "call-2", "call-3"]);
    assert_eq!((tool.runs(), handler.asked()), (2, 1));
    assert_eq!(run.executed_tools, ["echo", "pay", "pay"]);
}

#[tokio::test]
async fn what_a_handler_leaves_open_pauses_the_run_and_can_be_resumed() {
    let tool = pay();
    let mut harness = harness(two(), [Made::echo("echo")]);
    harness.register_tool(tool.clone()).unwrap();
    harness.with_deferred_tool_handler(Answers::new(|requests| {
        let first = requests.approvals.iter().find(|call| call.id == "call-1");
        Ok(first.map_or_else(DeferredToolResults::new, |call| {
            DeferredToolResults::new().approve(&call.id)
        }))
    }));
    let paused = go(&harness).await;
    assert_eq!(paused.stop, StopReason::Deferred);
    assert_eq!(
        ids(&paused.deferred.as_ref().unwrap().approvals),
        ["call-3"]
    );
    assert_eq!(tool.runs(), 1);
    let results = DeferredToolResults::new().deny("call-3", "no");
    let run = resume(&harness, RunContext::new(), paused.messages, results)
        .await
        .unwrap();
    let texts: Vec<&str> = rows(&run).iter().map(|row| row.1).collect();
    assert_eq!(texts, ["paid {\"to\":\"ada\"} true", "{}", "no"]);
    assert_eq!(tool.runs(), 1);
}

#[tokio::test]
async fn a_handler_that_approves_what_insists_is_asked_a_few_times_at_most() {
    let mut harness = harness(ScriptedModel::new().call("pay", json!({})), []);
    harness
        .register_tool(Pay {
            insists: true,
            ..pay()
        })
        .unwrap();
    let handler = Answers::new(|requests| Ok(requests.approve_all()));
    harness.with_deferred_tool_handler(handler.clone());
    let run = go(&harness).await;
    assert_eq!(run.stop, StopReason::Deferred);
    assert!(handler.asked() <= 2, "{}", handler.asked());
}

#[tokio::test]
async fn a_handler_that_answers_what_was_not_asked_fails_the_run_and_nothing_runs() {
    let tool = pay();
    let mut harness = harness(two(), [Made::echo("echo")]);
    harness.register_tool(tool.clone()).unwrap();
    harness.with_deferred_tool_handler(Answers::new(|requests| {
        Ok(requests.approve_all().approve("call-2").approve("call-9"))
    }));
    let error = harness.invoke(&(), vec![]).await.unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("unknown: `call-9`; already answered: `call-2`"),
        "{text}"
    );
    assert_eq!(tool.runs(), 0);
}

#[tokio::test]
async fn the_transcript_of_a_run_whose_handler_failed_can_be_resumed() {
    let tool = pay();
    let mut failing = harness(ScriptedModel::new().call("pay", json!({ "to": "ada" })), []);
    failing.register_tool(tool.clone()).unwrap();
    failing.with_deferred_tool_handler(Answers::new(|_| {
        Err(TinyAgentsError::Validation("nobody there".to_owned()))
    }));
    let ctx = RunContext::new();
    let run = failing
        .invoke_in_context(&(), ctx.clone(), vec![Message::user("go")])
        .await;
    assert_eq!(run.unwrap_err().to_string(), "nobody there");
    let messages = ctx.failed_run().unwrap().messages;
    let mut harness = harness(ScriptedModel::new().text("done"), []);
    harness.register_tool(tool.clone()).unwrap();
    let results = DeferredToolResults::new().approve("call-1");
    resume(&harness, RunContext::new(), messages, results)
        .await
        .unwrap();
    assert_eq!(tool.runs(), 1);
}

/// Never answers.
struct Silent;

#[async_trait]
impl DeferredToolHandler for Silent {
    async fn handle(
        &self,
        _: &RunContext,
        _: &DeferredToolRequests,
    ) -> Result<DeferredToolResults, TinyAgentsError> {
        std::future::pending().await
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_does_not_wait_for_a_handler_beyond_its_time() {
    let mut harness = harness(ScriptedModel::new().call("pay", json!({})), []);
    harness.register_tool(pay()).unwrap();
    harness.with_deferred_tool_handler(Silent);
    let ctx = RunContext::new().with_timeout(Duration::from_secs(5));
    let run = harness.invoke_in_context(&(), ctx, vec![]).await.unwrap();
    assert_eq!(run.stop, StopReason::Deadline);
    assert_eq!(run.deferred.unwrap().approvals.len(), 1);
    let turn = run.messages.iter().find_map(Message::as_assistant).unwrap();
    assert!(turn.deferred.is_some());
}

#[tokio::test]
async fn a_handler_answers_what_comes_after_a_resumption_too() {
    let started = |requests: &DeferredToolRequests| {
        requests
            .calls
            .iter()
            .fold(DeferredToolResults::new(), |results, call| {
                results.respond(&call.id, ToolResult::success("later"))
            })
    };
    let job = Made::new("job", |_| async {
        Err(tinyagents::ToolError::deferred(json!({ "job": 7 })).into())
    })
    .policy(tinyagents::ToolPolicy::classified().requiring_approval());
    let mut harness = harness(
        ScriptedModel::new().call("job", json!({})).text("done"),
        [job],
    );
    harness.with_deferred_tool_handler(Answers::new(move |requests| Ok(started(requests))));
    let paused = go(&harness).await;
    assert_eq!(paused.stop, StopReason::Deferred);
    let results = DeferredToolResults::new().approve("call-1");
    let run = resume(&harness, RunContext::new(), paused.messages, results)
        .await
        .unwrap();
    assert_eq!(rows(&run), [("call-1", "later", false)]);
    assert_eq!(run.stop, StopReason::Finished);
}
