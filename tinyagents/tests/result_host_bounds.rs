//! Results that the policy of the host cuts.

#![allow(missing_docs, clippy::unwrap_used)]

mod lifecycle_support;
mod result_support;

use lifecycle_support::{Made, call, dispatch, dispatcher};
use result_support::{Bad, bounded, reference, whole};
use serde_json::json;
use tinyagents::middleware::{RedactionMiddleware, ToolPolicyMiddleware};
use tinyagents::tinytools::{ToolContent, ToolResult};
use tinyagents::{AgentEvent, ArtifactStore, EventLog, MemoryArtifactStore, RunContext};

/// The policy of the host for a tool that has no bound of its own.
fn host_policy() -> ToolPolicyMiddleware {
    let policies = [("free".to_owned(), bounded(300))];
    ToolPolicyMiddleware::new(policies).enforce_result_bytes(true)
}

fn free(text: &str) -> Made {
    let text = text.to_owned();
    Made::new("free", move |_| {
        let text = text.clone();
        async { Ok(ToolResult::success(text)) }
    })
}

#[tokio::test]
async fn what_the_policy_of_the_host_cuts_is_flagged_and_kept_whole() {
    let store = MemoryArtifactStore::new();
    let ctx = RunContext::new().with_artifact_store(store.clone());
    let dispatcher = dispatcher([free(&whole())]).with_middleware(host_policy());
    let batch = dispatch(&dispatcher, &ctx, vec![call("c1", "free")]).await;
    let row = &batch.messages[0];
    let (uri, bytes) = reference(row);
    assert!(row.content.len() <= 300 && row.content.contains(uri));
    assert_eq!(bytes, whole().len() as u64);
    assert_eq!(store.get(uri).await.unwrap().unwrap(), whole().as_bytes());
    assert_eq!(
        batch.metadata[0].metadata,
        json!({ "truncated": true, "full_bytes": 7011 })
    );
}

#[tokio::test(start_paused = true)]
async fn what_the_policy_of_the_host_cuts_is_cut_whatever_the_store_does() {
    for bad in [Bad::Fails, Bad::Panics, Bad::Hangs] {
        let log = EventLog::new();
        let ctx = RunContext::new()
            .with_artifact_store(bad)
            .with_events(log.clone());
        let dispatcher = dispatcher([free(&whole())]).with_middleware(host_policy());
        let batch = dispatch(&dispatcher, &ctx, vec![call("c1", "free")]).await;
        let row = &batch.messages[0];
        assert!(!row.is_error && row.blocks.is_empty() && row.content.len() <= 300);
        assert!(
            row.content.contains("[cut: the result has 7011 bytes]"),
            "{}",
            row.content
        );
        assert_eq!(batch.metadata[0].metadata["truncated"], json!(true));
        let kinds: Vec<&str> = log.events().iter().map(AgentEvent::kind).collect();
        assert_eq!(kinds, ["tool.started", "artifact.failed", "tool.completed"]);
    }
}

#[tokio::test]
async fn a_secret_is_masked_before_the_cut_and_in_what_is_kept() {
    // Where the row is cut, the cut goes through a secret.
    let text = "s3cret-4711 ".repeat(500);
    let store = MemoryArtifactStore::new();
    let ctx = RunContext::new().with_artifact_store(store.clone());
    let dispatcher = dispatcher([free(&text)])
        .with_middleware(RedactionMiddleware::new(["s3cret-4711"]))
        .with_middleware(host_policy());
    let batch = dispatch(&dispatcher, &ctx, vec![call("c1", "free")]).await;
    let row = &batch.messages[0];
    assert!(!row.content.contains("s3c") && !row.content.contains("711"));
    let kept = store.get(reference(row).0).await.unwrap().unwrap();
    let masked = "[redacted] ".repeat(500);
    assert_eq!(String::from_utf8(kept).unwrap(), masked);
}

#[tokio::test]
async fn a_block_of_an_unknown_type_is_no_way_around_the_bound() {
    let tool = Made::new("free", |_| async {
        let block = json!({ "type": "chart", "points": vec![1; 500] });
        Ok(ToolResult::from(ToolContent::Other(block)))
    });
    for store in [None, Some(MemoryArtifactStore::new())] {
        let ctx = RunContext::new();
        let ctx = match store {
            None => ctx,
            Some(store) => ctx.with_artifact_store(store),
        };
        let dispatcher = dispatcher([tool.clone()]).with_middleware(host_policy());
        let batch = dispatch(&dispatcher, &ctx, vec![call("c1", "free")]).await;
        let row = &batch.messages[0];
        assert!(row.content.len() <= 300);
        let has_block = |block: &ToolContent| matches!(block, ToolContent::Other(_));
        assert!(!row.blocks.iter().any(has_block));
    }
}
