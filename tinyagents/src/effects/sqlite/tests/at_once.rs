//! What is written without asking the worker.

use futures::poll;

use super::{settle, start};
use crate::effects::sqlite::operation::Operation;
use crate::effects::sqlite::{SqliteLedger, Synchronous};
use crate::effects::{ToolEffectClaim, ToolEffectLedger as _, ToolEffectStatus};

fn ledger(synchronous: Synchronous) -> (tempfile::TempDir, SqliteLedger) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("l.db");
    let ledger = SqliteLedger::open_with(path, synchronous).unwrap();
    (folder, ledger)
}

#[tokio::test]
async fn a_short_row_that_waits_for_no_disk_is_there_at_once_and_any_other_is_waited_for() {
    let (_folder, normal) = ledger(Synchronous::Normal);
    let (_other_folder, full) = ledger(Synchronous::Full);
    assert!(poll!(normal.started(start("a"))).is_ready());
    assert!(poll!(normal.started(start("b"))).is_ready());
    assert!(poll!(normal.settled(settle("a", "paid".to_owned()))).is_ready());
    let long = settle("b", "x".repeat(1_000_000));
    assert!(
        normal
            .try_at_once(&Operation::Settle(long.clone()))
            .is_none()
    );
    normal.settled(long).await.unwrap();
    assert!(full.try_at_once(&Operation::Start(start("a"))).is_none());
    let claim = full.started(start("a")).await;
    assert!(matches!(claim, Ok(ToolEffectClaim::Granted(1))));

    // The rules are the same, whoever writes.
    let taken = normal.started(start("a")).await.unwrap();
    let ToolEffectClaim::Taken(row) = taken else {
        panic!("{taken:?}");
    };
    assert_eq!(row.status, ToolEffectStatus::Completed);
    assert!(normal.settled(settle("c", String::new())).await.is_err());
    assert!(normal.unresolved("r").await.unwrap().is_empty());
}

#[tokio::test]
async fn what_was_written_is_moved_into_the_file_before_it_is_much() {
    let (folder, ledger) = ledger(Synchronous::Normal);
    for number in 0..6_000 {
        let claim = ledger.started(start(&number.to_string())).await.unwrap();
        assert!(matches!(claim, ToolEffectClaim::Granted(1)));
    }
    let size = |name: &str| folder.path().join(name).metadata().unwrap().len();
    assert!(size("l.db") > 300_000, "{}", size("l.db"));
    // A short row takes a few pages of 4 KB.
    assert!(size("l.db-wal") < 12_000_000, "{}", size("l.db-wal"));
    assert_eq!(ledger.unresolved("r").await.unwrap().len(), 6_000);
}
