//! The key of a call, and what a context tells that a tool keeps beyond its call.

#![allow(missing_docs, clippy::unwrap_used)]

mod around;

use std::sync::{Arc, Mutex};

use around::around;
use serde_json::json;
use tinyagents::effects::MemoryLedger;
use tinyagents::runtime::Dispatcher;
use tinyagents::toolset::ToolSetExt as _;
use tinyagents::{
    ArgumentCoercion, RunContext, RunPolicy, ToolCall, ToolRegistry, ToolRunContext as _, tool,
};

/// The contexts of all calls, as their tools have kept them.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<RunContext>>>);

/// Keeps its context.
#[tool(destructive)]
fn keep(
    n: i64,
    #[arg(default = "")] text: &str,
    #[hidden] kept: &Kept,
    #[hidden] ctx: &RunContext,
) -> String {
    kept.0.lock().unwrap().push(ctx.clone());
    format!("{n} {text}")
}

/// The same, once somebody has agreed.
#[tool(destructive, approval_required)]
fn keep_approved(n: i64, #[hidden] kept: &Kept, #[hidden] ctx: &RunContext) -> String {
    kept.0.lock().unwrap().push(ctx.clone());
    n.to_string()
}

/// The same, to be searched for.
#[tool(destructive, exposure = Deferred)]
fn keep_hidden(n: i64, #[hidden] kept: &Kept, #[hidden] ctx: &RunContext) -> String {
    kept.0.lock().unwrap().push(ctx.clone());
    n.to_string()
}

fn calls() -> Vec<ToolCall> {
    let text = |id: &str, text: &str| ToolCall::from_text(id, "keep", text);
    vec![
        ToolCall::new("plain", "keep", json!({ "n": 1, "text": "of the first" })),
        ToolCall::new("coerced", "keep", json!({ "n": "2" })),
        ToolCall::new("null", "keep", json!({ "n": 3, "text": null })),
        ToolCall::new("forged", "keep", json!({ "n": 4, "kept": "all" })),
        text("repaired", "{n: 5,}"),
        text("read", r#"{"n": 6}"#),
        ToolCall::new("renamed", "other", json!({ "n": 7 })),
        ToolCall::new(
            "bridged",
            "tool_call",
            json!({ "name": "keep_hidden", "arguments": { "n": 8 } }),
        ),
        ToolCall::new("approved", "keep_approved", json!({ "n": 9 })),
        ToolCall::new("edited", "keep_approved", json!({ "n": 10 })),
    ]
}

/// The kept contexts of a run of all these calls, and the keys as they read now.
async fn keys(
    has_ledger: bool,
    is_wrapped: bool,
    mut calls: Vec<ToolCall>,
) -> Vec<(String, String)> {
    let mut registry = ToolRegistry::new();
    registry.register(KeepTool).unwrap();
    registry.register(KeepApprovedTool).unwrap();
    registry.register(KeepHiddenTool).unwrap();
    let mut others = ToolRegistry::new();
    others.register(KeepTool).unwrap();
    let mut dispatcher = Dispatcher::new(registry)
        .with_toolset(others.renamed([("keep", "other")]))
        .with_policy(RunPolicy {
            coercion: ArgumentCoercion::Lossless,
            ..RunPolicy::default()
        });
    if is_wrapped {
        dispatcher = dispatcher.with_middleware(around(|ctx, call, next| {
            Box::pin(async move {
                let mut call = call.clone();
                call.arguments["n"] = json!(call.arguments["n"].as_i64().unwrap() + 100);
                next.run(ctx, &call).await
            })
        }));
    }
    let kept = Kept::default();
    let mut ctx = RunContext::new().with_run_id("r1").provide(kept.clone());
    if has_ledger {
        ctx = ctx.with_tool_effect_ledger(Arc::<MemoryLedger>::default());
    }
    let sent = calls.clone();
    let batch = dispatcher
        .dispatch(&(), &ctx, std::mem::take(&mut calls))
        .await
        .unwrap();
    assert_eq!(batch.calls, sent);
    if let Some(requests) = batch.deferred {
        let results = requests.approvals.iter().fold(
            tinyagents::DeferredToolResults::new(),
            |results, call| {
                if call.id == "edited" {
                    results.approve_with_args(&call.id, json!({ "n": 11 }))
                } else {
                    results.approve(&call.id)
                }
            },
        );
        let batch = dispatcher
            .resume(&(), &ctx, requests, results)
            .await
            .unwrap();
        assert!(is_wrapped || batch.deferred.is_none());
    }
    let kept = kept.0.lock().unwrap();
    let mut keys: Vec<_> = kept
        .iter()
        .map(|ctx| {
            let id = ctx.call_id().unwrap().to_string();
            (id, ctx.idempotency_key().unwrap().to_owned())
        })
        .collect();
    keys.sort();
    keys
}

#[tokio::test]
async fn a_key_is_the_same_with_and_without_a_ledger_however_the_call_came_to_run() {
    for is_wrapped in [false, true] {
        let read_late = keys(false, is_wrapped, calls()).await;
        let computed = keys(true, is_wrapped, calls()).await;
        assert_eq!(read_late, computed);
        // Approved calls wait again for what a hook has made of them.
        assert_eq!(read_late.len(), if is_wrapped { 8 } else { 10 });
        let mut distinct: Vec<_> = read_late.iter().map(|(_, key)| key).collect();
        distinct.sort();
        distinct.dedup();
        assert_eq!(distinct.len(), read_late.len());
    }
}

#[tokio::test]
async fn a_key_is_of_what_ran_and_not_of_what_was_asked_for() {
    let all = keys(false, false, calls()).await;
    let key = |id: &str| all.iter().find(|(known, _)| known == id).unwrap().1.clone();
    for call in [
        ToolCall::new("coerced", "keep", json!({ "n": 2 })),
        ToolCall::new("null", "keep", json!({ "n": 3 })),
        ToolCall::new("forged", "keep", json!({ "n": 4 })),
        ToolCall::new("repaired", "keep", json!({ "n": 5 })),
        ToolCall::new("renamed", "keep", json!({ "n": 7 })),
        ToolCall::new("edited", "keep_approved", json!({ "n": 11 })),
    ] {
        let id = call.id.clone();
        assert_eq!(
            keys(false, false, vec![call]).await,
            [(id.clone(), key(&id))]
        );
    }
}

#[tokio::test]
async fn a_kept_context_shows_no_arguments_and_its_key_is_of_its_own_run() {
    let kept = Kept::default();
    let mut registry = ToolRegistry::new();
    registry.register(KeepTool).unwrap();
    let ctx = RunContext::new().with_run_id("r1").provide(kept.clone());
    let calls = vec![
        ToolCall::new("a", "keep", json!({ "n": 1, "text": "the first's" })),
        ToolCall::new("b", "keep", json!({ "n": 2, "text": "the second's" })),
    ];
    let dispatcher = Dispatcher::new(registry);
    let batch = dispatcher.dispatch(&(), &ctx, calls.clone());
    assert_eq!(batch.await.unwrap().calls, calls);
    for ctx in kept.0.lock().unwrap().iter() {
        let shown = format!("{ctx:?} {ctx:#?}");
        assert!(
            !shown.contains("the first") && !shown.contains("the second"),
            "{shown}"
        );
        let moved = ctx.clone().with_run_id("r2");
        let key = moved.idempotency_key().unwrap().to_owned();
        assert_eq!(ctx.idempotency_key(), Some(key.as_str()));
    }
    let all = keys(false, false, calls).await;
    let kept = kept.0.lock().unwrap();
    for (ctx, (id, key)) in kept.iter().zip(&all) {
        assert_eq!(
            (
                ctx.call_id().map(tinyagents::CallId::as_str),
                ctx.idempotency_key()
            ),
            (Some(id.as_str()), Some(key.as_str()))
        );
    }
}
