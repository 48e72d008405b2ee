//! What a row can't hold: kept whole, referred to, and never a reason to lose the row.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::panic,
    clippy::case_sensitive_file_extension_comparisons
)]

mod lifecycle_support;

use std::path::PathBuf;
use std::sync::Arc;

use lifecycle_support::{Made, call, dispatch, dispatcher};
use serde_json::json;
use tinyagents::middleware::{RedactionMiddleware, ToolPolicyMiddleware};
use tinyagents::tinytools::{
    Tool, ToolCallOptions, ToolContent, ToolPolicy, ToolResult, async_trait,
};
use tinyagents::{
    AgentEvent, ArtifactStore, DirectoryArtifactStore, Dispatcher, EventLog, MemoryArtifactStore,
    RunContext, RunPolicy, ToolCall, ToolMessage, ToolRegistry,
};

fn bounded(bytes: u64) -> ToolPolicy {
    let mut policy = ToolPolicy::read_only();
    policy.runtime.max_result_bytes = Some(bytes);
    policy
}

/// Answers with a text of three letters a thousand times, between two marks.
fn long() -> Made {
    Made::new("long", |_| async { Ok(ToolResult::success(whole())) }).policy(bounded(300))
}

fn whole() -> String {
    format!("first {} last", "äb💩".repeat(1000))
}

fn reference(row: &ToolMessage) -> (&str, u64) {
    let found = row.blocks.iter().find_map(|block| match block {
        ToolContent::Artifact { uri, bytes, .. } => Some((uri.as_str(), bytes.unwrap())),
        _ => None,
    });
    found.unwrap()
}

fn directory(name: &str) -> PathBuf {
    let root =
        PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&root);
    root
}

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

/// Fails in one way or another.
#[derive(Clone, Copy, Debug)]
enum Bad {
    Fails,
    Panics,
    Hangs,
}

#[async_trait]
impl ArtifactStore for Bad {
    async fn put(&self, _: &str, _: Vec<u8>) -> anyhow::Result<String> {
        match self {
            Self::Fails => Err(anyhow::anyhow!("disk full").context("no room")),
            Self::Panics => panic!("secret of the store"),
            Self::Hangs => std::future::pending().await,
        }
    }

    async fn get(&self, _: &str) -> anyhow::Result<Option<Vec<u8>>> {
        Ok(None)
    }
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

#[tokio::test]
async fn files_are_written_whole_by_safe_names_and_for_their_owner_alone() {
    let root = directory("safe");
    let store = DirectoryArtifactStore::new(root.join("below"));
    let uri = store
        .put("../../etc/passwd", b"abc".to_vec())
        .await
        .unwrap();
    // The same content again is no second file.
    assert_eq!(store.put("", b"abc".to_vec()).await.unwrap(), uri);
    let files: Vec<_> = std::fs::read_dir(root.join("below"))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert_eq!(files.len(), 1, "nothing is left beside the file");
    assert_eq!(
        uri.strip_prefix("artifact://").unwrap(),
        files[0].file_name().to_str().unwrap()
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode =
            |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&files[0].path()), 0o600);
        assert_eq!(mode(&root.join("below")), 0o700);
    }
    std::fs::remove_dir_all(root).unwrap();
}

#[tokio::test]
async fn no_address_leads_out_of_the_directory() {
    let root = directory("escape");
    std::fs::create_dir_all(&root).unwrap();
    std::fs::write(root.join("secret.txt"), "secret").unwrap();
    let store = DirectoryArtifactStore::new(root.join("below"));
    let uri = store.put("text/plain", b"abc".to_vec()).await.unwrap();
    let own = uri.strip_prefix("artifact://").unwrap();
    for uri in [
        "artifact://../secret.txt".to_owned(),
        format!("artifact://{}", root.join("secret.txt").display()),
        format!("artifact://{own}/../../secret.txt"),
        root.join("secret.txt").display().to_string(),
    ] {
        assert_eq!(store.get(&uri).await.unwrap(), None, "{uri}");
    }
    #[cfg(unix)]
    {
        let link = format!("{}.txt", "0".repeat(64));
        std::os::unix::fs::symlink(root.join("secret.txt"), root.join("below").join(&link))
            .unwrap();
        assert_eq!(
            store.get(&format!("artifact://{link}")).await.unwrap(),
            None
        );
    }
    std::fs::remove_dir_all(root).unwrap();
}

#[tokio::test]
async fn a_directory_that_can_not_be_written_leaves_nothing_behind() {
    let root = directory("blocked");
    std::fs::create_dir_all(&root).unwrap();
    std::fs::write(root.join("file"), "").unwrap();
    let store = DirectoryArtifactStore::new(root.join("file"));
    let failed = store.put("text/plain", b"abc".to_vec()).await.unwrap_err();
    assert_eq!(failed.to_string(), "the artifact could not be written");
    std::fs::remove_dir_all(root).unwrap();
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
