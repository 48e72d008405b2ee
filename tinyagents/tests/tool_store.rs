//! What tools remember from call to call, and from whom it is kept.

#![allow(missing_docs, clippy::unwrap_used)]

use std::sync::Arc;

use serde_json::json;
use tinyagents::tinytools::tool;
use tinyagents::{
    ArtifactStore, Dispatcher, MemoryArtifactStore, MemoryStore, RunContext, Store,
    TinyAgentsError, ToolCall, ToolRegistry,
};

/// Count up.
#[tool(classified, crate = ::tinyagents::tinytools)]
async fn count(#[hidden] store: &dyn Store) -> anyhow::Result<u64> {
    let count = store.get("count").await?.and_then(|count| count.as_u64());
    let count = count.unwrap_or_default() + 1;
    store.put("count", json!(count)).await?;
    Ok(count)
}

/// Look at everything that can be seen.
#[tool(read_only, crate = ::tinyagents::tinytools)]
async fn look(#[hidden] store: Arc<dyn Store>) -> anyhow::Result<Vec<String>> {
    store.keys("").await
}

/// Read the artifact at an address.
#[tool(read_only, crate = ::tinyagents::tinytools)]
async fn read(#[hidden] artifacts: &dyn ArtifactStore, uri: String) -> anyhow::Result<String> {
    let bytes = artifacts.get(&uri).await?.unwrap_or_default();
    Ok(String::from_utf8(bytes)?)
}

fn dispatcher() -> Dispatcher {
    let mut registry = ToolRegistry::new();
    registry.register(CountTool).unwrap();
    registry.register(LookTool).unwrap();
    Dispatcher::new(registry)
}

async fn answer(dispatcher: &Dispatcher, ctx: &RunContext, name: &str) -> String {
    let calls = vec![ToolCall::new("c1", name, json!({}))];
    let batch = dispatcher.dispatch(&(), ctx, calls).await.unwrap();
    batch.messages[0].content.clone()
}

#[tokio::test]
async fn every_run_has_a_store_of_its_own_which_its_children_share() {
    let dispatcher = dispatcher();
    let ctx = RunContext::new().with_thread_id("t1");
    assert_eq!(answer(&dispatcher, &ctx, "count").await, "1");
    assert_eq!(answer(&dispatcher, &ctx.child(), "count").await, "2");
    let other = RunContext::new().with_thread_id("t1");
    assert_eq!(answer(&dispatcher, &other, "count").await, "1");
}

#[tokio::test]
async fn a_store_of_the_host_goes_on_with_the_conversation_and_keeps_others_out() {
    let dispatcher = dispatcher();
    let store = MemoryStore::new();
    let run = |thread: &str| {
        RunContext::new()
            .with_store(store.clone())
            .with_thread_id(thread)
    };
    assert_eq!(answer(&dispatcher, &run("t1"), "count").await, "1");
    assert_eq!(answer(&dispatcher, &run("t1"), "count").await, "2");
    assert_eq!(answer(&dispatcher, &run("t2"), "count").await, "1");
    // Another tool of the same conversation sees nothing of it, the host outside of a call neither.
    assert_eq!(answer(&dispatcher, &run("t1"), "look").await, "[]");
    assert!(run("t1").store().keys("").await.unwrap().is_empty());
    assert_eq!(format!("{store:?}"), "MemoryStore { values: 2 }");
}

#[tokio::test]
async fn no_id_leads_into_the_part_of_another() {
    let dispatcher = dispatcher();
    let store = MemoryStore::new();
    let run = || RunContext::new().with_store(store.clone());
    let mut seen = Vec::new();
    for ctx in [
        run().with_thread_id("a"),
        run().with_thread_id("a/count"),
        run().with_thread_id("a%2Fcount"),
        run().with_thread_id(""),
        run().with_thread_id("/"),
        run().with_run_id("a"),
        run().with_run_id("thread/a"),
    ] {
        seen.push(answer(&dispatcher, &ctx, "count").await);
    }
    assert_eq!(seen, ["1"; 7]);
}

#[tokio::test]
async fn a_store_gets_puts_deletes_and_lists_by_prefix() {
    let ctx = RunContext::new();
    let store = ctx.store();
    for key in ["b/2", "a", "b/1", "c", "b"] {
        store.put(key, json!(key)).await.unwrap();
    }
    assert_eq!(store.keys("b").await.unwrap(), ["b", "b/1", "b/2"]);
    assert_eq!(store.get("b/1").await.unwrap(), Some(json!("b/1")));
    store.put("b/1", json!(null)).await.unwrap();
    assert_eq!(store.get("b/1").await.unwrap(), Some(json!(null)));
    assert!(store.delete("b/1").await.unwrap());
    assert!(!store.delete("b/1").await.unwrap());
    assert_eq!(store.get("b/1").await.unwrap(), None);
}

#[tokio::test]
async fn a_tool_reads_the_runs_artifacts_and_a_run_without_any_is_refused_early() {
    let mut registry = ToolRegistry::new();
    registry.register(ReadTool).unwrap();
    let dispatcher = Dispatcher::new(registry);
    let artifacts = MemoryArtifactStore::new();
    let uri = artifacts.put("text/plain", b"abc".to_vec()).await.unwrap();
    let calls = vec![ToolCall::new("c1", "read", json!({ "uri": uri }))];
    let ctx = RunContext::new().with_artifact_store(artifacts);
    let batch = dispatcher.dispatch(&(), &ctx, calls.clone()).await.unwrap();
    assert_eq!(batch.messages[0].content, "abc");

    let refused = dispatcher.dispatch(&(), &RunContext::new(), calls).await;
    assert!(matches!(
        refused,
        Err(TinyAgentsError::MissingInjection { parameter, .. }) if parameter == "artifacts"
    ));
}
