//! What a row can't hold: kept whole, referred to, and never a reason to lose the row.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::panic,
    clippy::case_sensitive_file_extension_comparisons
)]

mod lifecycle_support;
mod result_support;

use std::sync::Arc;

use lifecycle_support::{Made, call, dispatch, dispatcher};
use result_support::{Bad, bounded, directory, long, reference, whole};
use serde_json::json;
use tinyagents::tinytools::{
    Tool, ToolCallOptions, ToolContent, ToolPolicy, ToolResult, async_trait,
};
use tinyagents::{
    AgentEvent, ArtifactStore, DirectoryArtifactStore, Dispatcher, EventLog, MemoryArtifactStore,
    RunContext, RunPolicy, ToolCall, ToolRegistry,
};

#[tokio::test]
async fn an_oversized_result_is_kept_whole_and_the_row_has_both_ends_and_the_address() {
    let root = directory("oversized");
    let stores: [Arc<dyn ArtifactStore>; 2] = [
        Arc::new(MemoryArtifactStore::new()),
        Arc::new(DirectoryArtifactStore::new(&root)),
    ];
    for store in stores {
        let ctx = RunContext::new().with_artifact_store(Arc::clone(&store));
        let batch = dispatch(&dispatcher([long()]), &ctx, vec![call("c1", "long")]).await;
        let row = &batch.messages[0];
        let (uri, bytes) = reference(row);
        assert!(row.content.len() <= 300 && !row.is_error);
        assert!(row.content.starts_with("first ") && row.content.ends_with(" last"));
        assert!(row.content.contains(uri), "{}", row.content);
        assert_eq!(bytes, whole().len() as u64);
        assert_eq!(store.get(uri).await.unwrap().unwrap(), whole().as_bytes());
        assert!(!row.content.contains(root.to_str().unwrap()));
    }
    std::fs::remove_dir_all(root).unwrap();
}

#[tokio::test]
async fn without_a_store_the_row_says_that_it_was_cut_and_refers_to_nothing() {
    let batch = dispatch(
        &dispatcher([long()]),
        &RunContext::new(),
        vec![call("c1", "long")],
    )
    .await;
    let row = &batch.messages[0];
    assert!(
        row.content.contains("[cut: the result has 7011 bytes]"),
        "{}",
        row.content
    );
    assert!(row.content.len() <= 300 && row.blocks.is_empty());
}

#[tokio::test]
async fn a_result_that_fits_is_not_kept() {
    let store = MemoryArtifactStore::new();
    let ctx = RunContext::new().with_artifact_store(store.clone());
    let short = Made::new("short", |_| async { Ok(ToolResult::success("ok")) }).policy(bounded(2));
    let batch = dispatch(&dispatcher([short]), &ctx, vec![call("c1", "short")]).await;
    assert_eq!(batch.messages[0].content, "ok");
    assert_eq!(format!("{store:?}"), "MemoryArtifactStore { artifacts: 0 }");
}

#[tokio::test]
async fn inline_bytes_are_kept_and_the_row_refers_to_them() {
    let picture = || {
        Made::new("picture", |_| async {
            Ok(ToolResult::success("here")
                .with_content(ToolContent::image(vec![1, 2, 3], "image/png"))
                .with_content(ToolContent::file("../../x.csv", "a,b", "text/csv")))
        })
    };
    let store = MemoryArtifactStore::new();
    let ctx = RunContext::new().with_artifact_store(store.clone());
    let batch = dispatch(&dispatcher([picture()]), &ctx, vec![call("c1", "picture")]).await;
    let row = &batch.messages[0];
    let kept: Vec<(&str, &str)> = row
        .blocks
        .iter()
        .map(|block| match block {
            ToolContent::Artifact {
                uri, media_type, ..
            } => (uri.as_str(), media_type.as_deref().unwrap()),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!((kept[0].1, kept[1].1), ("image/png", "text/csv"));
    assert!(kept[0].0.ends_with(".png") && kept[1].0.ends_with(".csv"));
    assert_eq!(store.get(kept[0].0).await.unwrap().unwrap(), [1, 2, 3]);
    assert_eq!(store.get(kept[1].0).await.unwrap().unwrap(), b"a,b");
    assert!(
        kept.iter()
            .all(|(uri, _)| row.content.contains(uri) && !uri.contains("x.csv"))
    );

    let batch = dispatch(
        &dispatcher([picture()]),
        &RunContext::new(),
        vec![call("c1", "picture")],
    )
    .await;
    let blocks = &batch.messages[0].blocks;
    assert_eq!(blocks[0], ToolContent::image(vec![1, 2, 3], "image/png"));
    assert_eq!(blocks.len(), 2);
}

#[tokio::test]
async fn inline_bytes_over_the_bound_are_left_out_where_nothing_keeps_them() {
    let picture = Made::new("picture", |_| async {
        let picture = ToolContent::image(vec![7; 4000], "image/png");
        Ok(ToolResult::success("here").with_content(picture))
    })
    .policy(bounded(300));
    let batch = dispatch(
        &dispatcher([picture]),
        &RunContext::new(),
        vec![call("c1", "picture")],
    )
    .await;
    let row = &batch.messages[0];
    assert!(row.blocks.is_empty());
    assert_eq!(row.content, "here\n[image: image/png, 4000 bytes]");
}

#[tokio::test(start_paused = true)]
async fn a_store_that_fails_is_told_to_the_host_and_costs_no_row() {
    for (bad, told) in [
        (Bad::Fails, "no room: disk full"),
        (Bad::Panics, "the store panicked"),
        (Bad::Hangs, "the store took longer than 30s"),
    ] {
        let log = EventLog::new();
        let ctx = RunContext::new()
            .with_artifact_store(bad)
            .with_events(log.clone());
        let batch = dispatch(&dispatcher([long()]), &ctx, vec![call("c1", "long")]).await;
        let row = &batch.messages[0];
        assert!(!row.is_error && row.blocks.is_empty());
        assert!(row.content.starts_with("first ") && row.content.ends_with(" last"));
        let kinds: Vec<&str> = log.events().iter().map(AgentEvent::kind).collect();
        assert_eq!(kinds, ["tool.started", "artifact.failed", "tool.completed"]);
        assert!(matches!(
            &log.events()[1],
            AgentEvent::ArtifactFailed { call_id, tool_name, bytes: 7011, error }
                if call_id == "c1" && tool_name == "long" && error == told
        ));
    }
}

#[tokio::test]
async fn markdown_and_json_are_kept_as_what_the_model_reads() {
    let table = Made::new("table", |_| async {
        Ok(ToolResult::json(json!({ "rows": vec![1; 500] })))
    })
    .policy(bounded(200));
    let store = MemoryArtifactStore::new();
    let ctx = RunContext::new().with_artifact_store(store.clone());
    let batch = dispatch(&dispatcher([table]), &ctx, vec![call("c1", "table")]).await;
    let (uri, _) = reference(&batch.messages[0]);
    assert!(uri.ends_with(".json"));
    let kept = store.get(uri).await.unwrap().unwrap();
    let kept: serde_json::Value = serde_json::from_slice(&kept).unwrap();
    assert_eq!(kept, json!({ "rows": vec![1; 500] }));
}

/// Offers its table in both forms.
struct Table;

#[async_trait]
impl Tool for Table {
    fn name(&self) -> &'static str {
        "table"
    }

    fn description(&self) -> &'static str {
        "A table."
    }

    fn parameters_schema(&self) -> serde_json::Value {
        json!({ "type": "object" })
    }

    fn policy(&self) -> ToolPolicy {
        bounded(200)
    }

    fn supports_markdown(&self) -> bool {
        true
    }

    async fn execute(&self, _: serde_json::Value) -> anyhow::Result<ToolResult> {
        anyhow::bail!("needs to know what is preferred")
    }

    async fn execute_with_options(
        &self,
        args: serde_json::Value,
        options: ToolCallOptions,
    ) -> anyhow::Result<ToolResult> {
        let times = if args["long"] == true { 100 } else { 1 };
        let plain = ToolResult::success("a 1\n".repeat(times));
        if !options.prefer_markdown || args["plain"] == true {
            return Ok(plain);
        }
        Ok(plain.with_markdown("| a | 1 |\n".repeat(times)))
    }
}

#[tokio::test]
async fn markdown_is_what_the_model_reads_where_it_is_preferred_and_offered() {
    let mut registry = ToolRegistry::new();
    registry.register(Table).unwrap();
    let plain = Dispatcher::new(registry);
    let preferring = plain.clone().with_policy(RunPolicy {
        prefer_markdown: true,
        ..RunPolicy::default()
    });
    let store = MemoryArtifactStore::new();
    let ctx = RunContext::new().with_artifact_store(store.clone());
    let row = async |dispatcher: &Dispatcher, args: serde_json::Value| {
        let calls = vec![ToolCall::new("c1", "table", args)];
        let mut batch = dispatch(dispatcher, &ctx, calls).await;
        batch.messages.remove(0)
    };
    assert_eq!(row(&plain, json!({})).await.content, "a 1\n");
    assert_eq!(row(&preferring, json!({})).await.content, "| a | 1 |\n");
    let not_offered = row(&preferring, json!({ "plain": true })).await;
    assert_eq!(not_offered.content, "a 1\n");

    let long = row(&preferring, json!({ "long": true })).await;
    let (uri, _) = reference(&long);
    assert!(uri.ends_with(".md"), "{uri}");
    let kept = store.get(uri).await.unwrap().unwrap();
    assert_eq!(kept, "| a | 1 |\n".repeat(100).into_bytes());
}
