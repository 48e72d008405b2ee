//! The same over PostgreSQL, where a killed process also leaves a lease behind. Run by `.ci/run postgres`.
//!
//! `TINYAGENTS_KILLS` says how often, 40 by default; the full count is 300.

#![cfg(feature = "postgres")]
#![allow(missing_docs, clippy::unwrap_used)]

mod kill_support;
mod postgres_support;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use postgres_support::plain_url;
use tinyagents::effects::{PostgresOptions, ToolEffectLedger};

/// Each folder has a schema of its own. The lease is a short one: every process waits for the one of the last.
async fn open(folder: &Path) -> Arc<dyn ToolEffectLedger> {
    let name = folder.file_name().unwrap().to_str().unwrap();
    let options = PostgresOptions::new(plain_url()).schema(format!("kill {name}"));
    let ledger = options.lease(Duration::from_millis(100)).connect().await;
    Arc::new(ledger.unwrap())
}

/// Not a test of its own: what the process does that is killed.
#[tokio::test]
#[ignore = "run and killed by another test"]
async fn child_that_is_killed() {
    if let Some(folder) = kill_support::folder() {
        kill_support::work(&folder, open(&folder).await).await;
    }
}

#[tokio::test]
#[ignore = "needs a PostgreSQL server"]
async fn whenever_a_host_dies_no_effect_happens_twice_and_none_is_unaccounted_for() {
    kill_support::kill_again_and_again(40, Duration::from_millis(300), open).await;
}
