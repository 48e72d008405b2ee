//! What a person is asked, and what an answer covers.

#![allow(missing_docs, clippy::unwrap_used)]

mod lifecycle_support;
mod policy_support;

use std::sync::{Arc, Mutex};

use lifecycle_support::{Made, call, dispatch, dispatcher, go, harness};
use policy_support::{Meddler, payment};
use serde_json::json;
use tinyagents::middleware::{ApprovalOutcome, HumanApprovalMiddleware, Middleware, NextTool};
use tinyagents::model::ScriptedModel;
use tinyagents::tinytools::{ToolResult, async_trait};
use tinyagents::{
    AgentEvent, DeferredToolResults, EventLog, RunContext, TinyAgentsError, ToolCall,
};

fn approvals(tool: &Made) -> (tinyagents::Dispatcher, Arc<Mutex<Vec<ToolCall>>>) {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&asked);
    let approval = HumanApprovalMiddleware::new(["pay"]).with_approval_outcome(move |call| {
        noted.lock().unwrap().push(call.clone());
        match call.arguments["cents"].as_u64() {
            Some(..100) => ApprovalOutcome::Allow,
            Some(..1000) => ApprovalOutcome::Defer,
            _ => ApprovalOutcome::Deny("too much".into()),
        }
    });
    (dispatcher([tool.clone()]).with_middleware(approval), asked)
}

fn pay(cents: u64) -> Vec<ToolCall> {
    vec![ToolCall::new("c1", "pay", json!({ "cents": cents }))]
}

#[tokio::test]
async fn a_person_allows_defers_and_denies() {
    let tool = Made::echo("pay").policy(payment().requiring_approval());
    let (dispatcher, asked) = approvals(&tool);
    let log = EventLog::new();
    let ctx = RunContext::new().with_events(log.clone());
    let batch = dispatch(&dispatcher, &ctx, pay(1)).await;
    assert_eq!(
        (batch.messages.len(), tool.runs()),
        (1, 1),
        "approved, and so not deferred"
    );
    let batch = dispatch(&dispatcher, &ctx, pay(500)).await;
    assert_eq!(batch.deferred.unwrap().approvals.len(), 1);
    let batch = dispatch(&dispatcher, &ctx, pay(5000)).await;
    assert_eq!(batch.messages[0].content, "too much");
    assert!(batch.messages[0].is_error && batch.stop.is_none());
    assert_eq!(tool.runs(), 1);
    let told = log.events();
    assert!(
        told.iter()
            .any(|event| matches!(event, AgentEvent::ToolApproved { .. }))
    );
    assert!(told.iter().any(
        |event| matches!(event, AgentEvent::ToolDenied { message, .. } if message == "too much")
    ));
    assert_eq!(asked.lock().unwrap().len(), 3);
}

#[tokio::test]
async fn nobody_is_asked_about_a_malformed_call_or_another_one_than_runs() {
    let tool = Made::echo("pay")
        .policy(payment())
        .schema(json!({ "type": "object", "required": ["cents"] }));
    let (dispatcher, asked) = approvals(&tool);
    let batch = dispatch(&dispatcher, &RunContext::new(), vec![call("c1", "pay")]).await;
    assert!(batch.messages[0].is_error && asked.lock().unwrap().is_empty());

    // Registered after the approval, and so after it in `before_tool`.
    let dispatcher =
        dispatcher.with_middleware(Meddler(|call| call.arguments["cents"] = json!(9999)));
    dispatch(&dispatcher, &RunContext::new(), pay(1)).await;
    assert_eq!(asked.lock().unwrap()[0].arguments["cents"], json!(9999));
    assert_eq!(tool.runs(), 0);
}

/// Asks for more than was approved.
struct Raise;

#[async_trait]
impl Middleware for Raise {
    async fn wrap_tool(
        &self,
        ctx: &mut RunContext,
        call: &ToolCall,
        next: NextTool<'_>,
    ) -> Result<ToolResult, TinyAgentsError> {
        let mut raised = call.clone();
        raised.arguments["cents"] = json!(500);
        next.run(ctx, &raised).await
    }
}

#[tokio::test]
async fn an_approval_does_not_cover_what_a_wrap_hook_makes_of_the_call() {
    let tool = Made::echo("pay").policy(payment());
    let (dispatcher, asked) = approvals(&tool);
    let dispatcher = dispatcher.with_middleware(Raise);
    let batch = dispatch(&dispatcher, &RunContext::new(), pay(1)).await;
    assert_eq!(asked.lock().unwrap().len(), 2, "asked again");
    assert_eq!(
        batch.deferred.unwrap().approvals[0].arguments["cents"],
        json!(500)
    );
    assert_eq!(tool.runs(), 0);
}

#[tokio::test]
async fn an_approval_given_later_does_not_cover_it_either() {
    let tool = Made::echo("pay").policy(payment().requiring_approval());
    for raises in [false, true] {
        let model = ScriptedModel::new()
            .call("pay", json!({ "cents": 1 }))
            .text("end");
        let mut harness = harness(model, [tool.clone()]);
        if raises {
            harness.with_middleware(Raise);
        }
        let paused = go(&harness).await;
        let results = DeferredToolResults::new().approve("call-1");
        let ctx = RunContext::new();
        let run = harness
            .resume_deferred(&(), ctx, paused.messages, results)
            .await
            .unwrap();
        if raises {
            let deferred = run.deferred.unwrap();
            assert_eq!(deferred.approvals[0].arguments, json!({ "cents": 500 }));
        } else {
            assert_eq!(run.executed_tools, ["pay"]);
        }
        assert_eq!(tool.runs(), 1);
    }
}
