//! What the tests of results that are kept elsewhere share.

#![allow(
    dead_code,
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::panic
)]

use std::path::PathBuf;

use tinyagents::tinytools::{ToolContent, ToolPolicy, ToolResult, async_trait};
use tinyagents::{ArtifactStore, ToolMessage};

use crate::lifecycle_support::Made;

pub fn bounded(bytes: u64) -> ToolPolicy {
    let mut policy = ToolPolicy::read_only();
    policy.runtime.max_result_bytes = Some(bytes);
    policy
}

/// Answers with a text of three letters a thousand times, between two marks.
pub fn long() -> Made {
    Made::new("long", |_| async { Ok(ToolResult::success(whole())) }).policy(bounded(300))
}

pub fn whole() -> String {
    format!("first {} last", "äb💩".repeat(1000))
}

pub fn reference(row: &ToolMessage) -> (&str, u64) {
    let found = row.blocks.iter().find_map(|block| match block {
        ToolContent::Artifact { uri, bytes, .. } => Some((uri.as_str(), bytes.unwrap())),
        _ => None,
    });
    found.unwrap()
}

pub fn directory(name: &str) -> PathBuf {
    let root =
        PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&root);
    root
}

/// Fails in one way or another.
#[derive(Clone, Copy, Debug)]
pub enum Bad {
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
