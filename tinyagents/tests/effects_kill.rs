//! A process that runs effectful tools is killed again and again at random instants. Afterwards no effect has happened
//! twice, and none is unaccounted for.
//!
//! `TINYAGENTS_KILLS` says how often, 60 by default; the full count is 2000.

#![cfg(feature = "sqlite")]
#![allow(missing_docs, clippy::unwrap_used)]

mod kill_support;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tinyagents::effects::{SqliteLedger, Synchronous, ToolEffectLedger};

/// Of the processes that are killed, every other one waits for the disk with each write; they follow each other on one
/// file.
async fn open(folder: &Path) -> Arc<dyn ToolEffectLedger> {
    let is_even = kill_support::number().is_some_and(|number| number.is_multiple_of(2));
    let synchronous = if is_even {
        Synchronous::Full
    } else {
        Synchronous::Normal
    };
    let ledger = SqliteLedger::open_with(folder.join("l.db"), synchronous);
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
async fn whenever_the_process_dies_no_effect_happens_twice_and_none_is_unaccounted_for() {
    kill_support::kill_again_and_again(60, Duration::from_millis(15), open).await;
}
