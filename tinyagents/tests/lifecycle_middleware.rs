//! What middlewares may do to a run and its calls.

#![allow(missing_docs, clippy::unwrap_used)]

mod lifecycle_support;

use std::sync::{Arc, Mutex};

use lifecycle_support::{Made, call, dispatch, dispatcher, go, harness, row};
use serde_json::json;
use tinyagents::middleware::{Middleware, ToolDecision};
use tinyagents::model::{Message, ScriptedModel};
use tinyagents::runtime::{AgentRun, StopReason};
use tinyagents::tinytools::{Injected, ToolResult, async_trait};
use tinyagents::{AgentEvent, CallId, EventLog, RunContext, TinyAgentsError, ToolCall};

struct Units {
    _metric: bool,
}

/// Does to each call of `echo` what it is made of.
struct Meddler(fn(&mut ToolCall) -> Result<ToolDecision, TinyAgentsError>);

#[async_trait]
impl Middleware for Meddler {
    async fn before_tool(
        &self,
        _: &mut RunContext,
        call: &mut ToolCall,
    ) -> Result<ToolDecision, TinyAgentsError> {
        (self.0)(call)
    }

    async fn after_tool(
        &self,
        ctx: &mut RunContext,
        _: &ToolCall,
        result: &mut ToolResult,
    ) -> Result<(), TinyAgentsError> {
        let call_id = ctx.call_id().map(CallId::as_str);
        result.metadata = Some(json!({ "seen_in": call_id }));
        Ok(())
    }
}

async fn meddled(
    meddle: fn(&mut ToolCall) -> Result<ToolDecision, TinyAgentsError>,
) -> (AgentRun, Made, Vec<AgentEvent>) {
    let mut tool = Made::echo("echo");
    tool.injected = vec![Injected::of::<Units>("units")];
    let model = ScriptedModel::new()
        .call("echo", json!({ "q": 1 }))
        .text("end");
    let mut harness = harness(model, [tool.clone()]);
    harness.with_middleware(Meddler(meddle));
    let log = EventLog::new();
    let ctx = RunContext::new()
        .provide(Units { _metric: true })
        .with_events(log.clone());
    let run = harness.invoke_in_context(&(), ctx, vec![]).await.unwrap();
    (run, tool, log.events())
}

#[tokio::test]
async fn a_middleware_that_brings_a_hidden_name_back_is_stripped_too() {
    let (run, _, events) = meddled(|call| {
        call.arguments["units"] = json!("forged");
        Ok(ToolDecision::Proceed)
    })
    .await;
    assert_eq!(row(&run).content, r#"{"q":1}"#);
    assert!(
        events
            .iter()
            .any(|event| matches!(event, AgentEvent::ForgedHiddenArgument { .. }))
    );
}

#[tokio::test]
async fn a_middleware_answers_rejects_and_fails_without_the_tool_running() {
    let (run, tool, _) = meddled(|_| Ok(ToolDecision::Answer(ToolResult::success("cached")))).await;
    assert_eq!((row(&run).content.as_str(), tool.runs()), ("cached", 0));
    assert!(run.executed_tools.is_empty());
    let [seen] = run.tool_metadata.as_slice() else {
        panic!("after_tool sees the answer");
    };
    assert_eq!(seen.metadata["seen_in"], seen.call_id);

    let (run, tool, events) = meddled(|_| Ok(ToolDecision::Reject("not today".into()))).await;
    assert!(row(&run).content.contains("not today"));
    assert_eq!((row(&run).is_error, tool.runs()), (true, 0));
    assert!(
        events
            .iter()
            .any(|event| matches!(event, AgentEvent::ToolNotAllowed { .. }))
    );

    let (run, tool, _) = meddled(|_| Err(TinyAgentsError::Validation("broken".into()))).await;
    assert!(matches!(&run.stop, StopReason::Middleware(text) if text.contains("broken")));
    assert_eq!((row(&run).is_error, tool.runs()), (true, 0));

    let (run, tool, _) =
        meddled(|_| Err(TinyAgentsError::ApprovalRequired { metadata: json!(1) })).await;
    assert_eq!((run.deferred.unwrap().approvals.len(), tool.runs()), (1, 0));
}

#[tokio::test]
async fn a_middleware_cannot_lead_a_call_to_a_tool_that_was_not_advertised() {
    let (run, tool, _) = meddled(|call| {
        "elsewhere".clone_into(&mut call.name);
        Ok(ToolDecision::Proceed)
    })
    .await;
    assert!(row(&run).content.contains("unknown tool `elsewhere`"));
    assert_eq!(tool.runs(), 0);
}

/// Writes down its hooks; fails before the agent if told to.
struct Noted {
    name: &'static str,
    fails: bool,
    seen: Arc<Mutex<Vec<String>>>,
}

#[async_trait]
impl Middleware for Noted {
    async fn before_agent(
        &self,
        _: &mut RunContext,
        _: &mut Vec<Message>,
    ) -> Result<(), TinyAgentsError> {
        if self.fails {
            let source = anyhow::anyhow!("no disk").context("no store");
            return Err(TinyAgentsError::Other(source));
        }
        self.seen.lock().unwrap().push(format!("+{}", self.name));
        Ok(())
    }

    async fn after_agent(
        &self,
        _: &mut RunContext,
        _: &mut AgentRun,
    ) -> Result<(), TinyAgentsError> {
        self.seen.lock().unwrap().push(format!("-{}", self.name));
        Ok(())
    }
}

#[tokio::test]
async fn only_a_middleware_that_saw_the_beginning_sees_the_end() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let mut harness = harness(ScriptedModel::new().text("never"), []);
    for (name, fails) in [("a", false), ("b", true), ("c", false)] {
        harness.with_middleware(Noted {
            name,
            fails,
            seen: Arc::clone(&seen),
        });
    }
    let run = go(&harness).await;
    assert!(
        matches!(&run.stop, StopReason::Middleware(text) if text.ends_with(": no store: no disk")),
        "{:?}",
        run.stop
    );
    assert_eq!(*seen.lock().unwrap(), ["+a", "-a"]);
}

/// Takes the context away, and never comes to an end.
struct Takes;

#[async_trait]
impl Middleware for Takes {
    async fn before_tool(
        &self,
        ctx: &mut RunContext,
        _: &mut ToolCall,
    ) -> Result<ToolDecision, TinyAgentsError> {
        let taken = std::mem::take(ctx);
        taken.cancel();
        std::future::pending().await
    }
}

#[tokio::test]
async fn the_end_of_a_call_is_told_though_a_middleware_was_given_up_with_its_context() {
    let log = EventLog::new();
    let ctx = RunContext::new().with_events(log.clone());
    let dispatcher = dispatcher([Made::echo("echo")]).with_middleware(Takes);
    let batch = dispatch(&dispatcher, &ctx, vec![call("c1", "echo")]).await;
    assert_eq!(batch.stop, Some(StopReason::Cancelled));
    let ends = log.events().into_iter();
    let ends = ends.filter(|event| matches!(event, AgentEvent::ToolFailed { .. }));
    assert_eq!(ends.count(), 1);
}
