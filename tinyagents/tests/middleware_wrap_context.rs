//! What a tool sees of its call inside of a hook around it.

#![allow(missing_docs, clippy::unwrap_used)]

mod around;

use std::sync::{Arc, OnceLock};

use around::around;
use serde_json::{Value, json};
use tinyagents::runtime::{Dispatcher, ToolRegistry};
use tinyagents::{AgentEvent, CallId, EventLog, RunContext, ToolCall, ToolRunContext, tool};

#[derive(Clone, Copy)]
struct Units(&'static str);

/// Says what its context says.
#[tool(read_only)]
fn say(
    n: i64,
    #[hidden] units: Units,
    #[hidden] ctx: &RunContext,
    #[hidden] portable: &dyn ToolRunContext,
) -> Value {
    assert_eq!(portable.call_id(), ctx.call_id().map(CallId::as_str));
    let key = ToolRunContext::idempotency_key(ctx);
    assert_eq!(portable.idempotency_key(), key);
    assert_eq!(portable.is_cancelled(), ctx.is_cancelled());
    ctx.custom(json!(n));
    json!({ "units": units.0, "id": portable.call_id(), "tool": ctx.tool_name(), "key": key, "over": ctx.is_cancelled() })
}

fn dispatcher() -> Dispatcher {
    let mut registry = ToolRegistry::new();
    registry.register(SayTool).unwrap();
    Dispatcher::new(registry)
}

async fn said(dispatcher: &Dispatcher, n: i64) -> (Value, EventLog) {
    let log = EventLog::new();
    let ctx = RunContext::new()
        .with_run_id("r1")
        .with_events(log.clone())
        .provide(Units("metric"));
    let call = ToolCall::new("c1", "say", json!({ "n": n }));
    let mut batch = dispatcher.dispatch(&(), &ctx, vec![call]).await.unwrap();
    let row = batch.messages.remove(0);
    (
        serde_json::from_str(&row.content).unwrap_or_else(|_| json!(row.content)),
        log,
    )
}

#[tokio::test]
async fn a_tool_sees_its_call_and_what_the_hook_has_made_of_it() {
    let (plain, _) = said(&dispatcher(), 1).await;
    assert_eq!(plain["units"], "metric");
    assert_eq!(plain["tool"], "say");
    for n in [1, 2] {
        let hook = around(move |ctx, call, next| {
            *ctx = std::mem::take(ctx).provide(Units("imperial"));
            let mut changed = call.clone();
            changed.arguments = json!({ "n": 1 });
            Box::pin(async move { next.run(ctx, &changed).await })
        });
        let (wrapped, log) = said(&dispatcher().with_middleware(hook), n).await;
        let mut expected = plain.clone();
        expected["units"] = json!("imperial");
        assert_eq!(wrapped, expected, "{n}");
        assert!(matches!(
            &log.events()[1],
            AgentEvent::Custom { call_id: Some(id), tool_name: Some(name), .. } if id == "c1" && name == "say"
        ));
    }
}

#[tokio::test]
async fn what_a_hook_keeps_tells_nothing_after_the_end() {
    let kept: Arc<OnceLock<RunContext>> = Arc::default();
    let keeping = Arc::clone(&kept);
    let hook = around(move |ctx, call, next| {
        keeping.get_or_init(|| ctx.clone());
        Box::pin(async move { next.run(ctx, call).await })
    });
    let (_, log) = said(&dispatcher().with_middleware(hook), 1).await;
    assert_eq!(log.events().len(), 3);
    kept.get().unwrap().custom(json!("late"));
    assert_eq!(log.events().len(), 3);
}
