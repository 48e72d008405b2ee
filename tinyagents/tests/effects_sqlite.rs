//! The SQLite ledger as a file: rules, processes, permissions, damage.

#![cfg(feature = "sqlite")]
#![allow(missing_docs, clippy::unwrap_used)]

use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use tinyagents::check_paused_runs;
use tinyagents::effects::{
    LedgerError, SqliteLedger, Synchronous, ToolEffectClaim, ToolEffectLedger, ToolEffectSettle,
    ToolEffectStart, ToolEffectStatus, check_ledger,
};
use tinyagents::model::ToolMessage;
use tinyagents::tinytools::ToolReplay;

fn start(key: &str) -> ToolEffectStart {
    ToolEffectStart {
        run_id: "r1".into(),
        call_id: "c1".into(),
        tool_name: "pay".to_owned(),
        key: key.to_owned(),
        request_hash: String::new(),
        replay: ToolReplay::Never,
    }
}

fn settle(key: &str, answer: &str) -> ToolEffectSettle {
    ToolEffectSettle {
        tool_name: "pay".to_owned(),
        key: key.to_owned(),
        claim: 1,
        status: ToolEffectStatus::Completed,
        answer: Some(ToolMessage::new("c1", "pay", answer).into()),
        attempts: 1,
    }
}

#[tokio::test]
async fn the_sqlite_ledger_keeps_every_rule() {
    let folder = tempfile::tempdir().unwrap();
    for synchronous in [Synchronous::Full, Synchronous::Normal] {
        // The second time in the file of the first.
        let ledger = SqliteLedger::open_with(folder.path().join("l.db"), synchronous).unwrap();
        check_ledger(&ledger).await.unwrap();
        check_paused_runs(&ledger).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_one_connection_wrote_another_one_sees() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("l.db");
    let first = SqliteLedger::open(&path).unwrap();
    first.started(start("k")).await.unwrap();
    let second = SqliteLedger::open(&path).unwrap();
    assert_eq!(second.unresolved("r1").await.unwrap().len(), 1);
    second.settled(settle("k", "paid")).await.unwrap();
    let ToolEffectClaim::Taken(row) = first.started(start("k")).await.unwrap() else {
        panic!("granted twice");
    };
    assert_eq!(row.answer.unwrap().row.content, "paid");
}

/// Not a test of its own: what a child process of [`one_of_many_processes_wins_each_key`] does.
#[tokio::test]
#[ignore = "run by another test"]
async fn child_that_claims() {
    let Some(path) = std::env::var_os("TINYAGENTS_LEDGER") else {
        return;
    };
    let ledger = SqliteLedger::open_with(path, Synchronous::Normal).unwrap();
    for number in 0..200 {
        let key = format!("k{number}");
        if let ToolEffectClaim::Granted(_) = ledger.started(start(&key)).await.unwrap() {
            println!("\ngranted {key}");
            ledger.settled(settle(&key, "paid")).await.unwrap();
        }
    }
}

fn spawn_claimer(path: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["child_that_claims", "--exact", "--ignored", "--nocapture"])
        .env("TINYAGENTS_LEDGER", path)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn one_of_many_processes_wins_each_key() {
    let folder = tempfile::tempdir().unwrap();
    // They also open and make the file at the same moment.
    let path = folder.path().join("l.db");
    let children: Vec<Child> = (0..6).map(|_| spawn_claimer(&path)).collect();
    let mut granted = Vec::new();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        let text = String::from_utf8(output.stdout).unwrap();
        let keys = text
            .lines()
            .filter_map(|line| line.strip_prefix("granted "));
        granted.extend(keys.map(str::to_owned));
    }
    granted.sort_unstable();
    let claims = granted.len();
    granted.dedup();
    assert_eq!((claims, granted.len()), (200, 200));
}

#[cfg(unix)]
#[tokio::test]
async fn nobody_else_may_read_the_files() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("l.db");
    std::fs::write(&path, "").unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    let ledger = SqliteLedger::open(&path).unwrap();
    ledger.started(start("k")).await.unwrap();
    for name in ["l.db", "l.db-wal", "l.db-shm"] {
        let mode = std::fs::metadata(folder.path().join(name))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}

#[test]
fn a_file_that_is_something_else_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.txt");
    let text = "Dear diary, ".repeat(500);
    std::fs::write(&path, &text).unwrap();
    let refused = SqliteLedger::open(&path).unwrap_err();
    assert!(
        matches!(&refused, LedgerError::NotALedger { .. }),
        "{refused}"
    );
    assert!(refused.to_string().contains("notes.txt"));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    assert!(SqliteLedger::open(folder.path().join("none/l.db")).is_err());
}

#[tokio::test]
async fn a_damaged_file_is_told_and_grants_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("l.db");
    let ledger = SqliteLedger::open(&path).unwrap();
    for number in 0..300 {
        let key = format!("k{number}");
        ledger.started(start(&key)).await.unwrap();
        ledger
            .settled(settle(&key, &"x".repeat(500)))
            .await
            .unwrap();
    }
    drop(ledger);
    // Reopening and closing brings the log into the file; then every page but the first is overwritten.
    let raw = rusqlite::Connection::open(&path).unwrap();
    raw.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        .unwrap();
    drop(raw);
    let mut file = std::fs::OpenOptions::new()
        .read(true)
        .write(true)
        .open(&path)
        .unwrap();
    let mut head = [0; 100];
    file.read_exact(&mut head).unwrap();
    let length = usize::try_from(file.metadata().unwrap().len()).unwrap();
    file.seek(SeekFrom::Start(4096)).unwrap();
    file.write_all(&vec![0xa5; length - 4096]).unwrap();
    drop(file);
    let ledger = SqliteLedger::open(&path).unwrap();
    for key in ["k7", "new"] {
        let failed = ledger.started(start(key)).await.unwrap_err();
        assert!(matches!(failed, LedgerError::Damaged { .. }), "{failed}");
    }
    let failed = ledger.of_call("r1", "c1").await.unwrap_err();
    assert!(matches!(failed, LedgerError::Damaged { .. }), "{failed}");
}

#[tokio::test]
async fn a_ledger_of_a_newer_version_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("l.db");
    drop(SqliteLedger::open(&path).unwrap());
    let raw = rusqlite::Connection::open(&path).unwrap();
    raw.execute_batch("PRAGMA user_version = 99").unwrap();
    drop(raw);
    let refused = SqliteLedger::open(&path).unwrap_err();
    assert!(
        matches!(refused, LedgerError::NewerVersion { found: 99, .. }),
        "{refused}"
    );
}

#[tokio::test]
async fn many_claims_at_once_are_all_answered() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = SqliteLedger::open_with(folder.path().join("l.db"), Synchronous::Normal).unwrap();
    let starts = (0..1000).map(|number| ledger.started(start(&format!("k{number}"))));
    let claims = futures::future::join_all(starts).await;
    assert!(
        claims
            .iter()
            .all(|claim| matches!(claim, Ok(ToolEffectClaim::Granted(1))))
    );
    assert_eq!(ledger.unresolved("r1").await.unwrap().len(), 1000);
}
