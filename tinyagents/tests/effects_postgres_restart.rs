//! The PostgreSQL ledger while its server is killed and started again. Run by `.ci/run postgres`.

#![cfg(feature = "postgres")]
#![allow(missing_docs, clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod postgres_support;

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use futures::future::join_all;
use postgres_support::Database;
use tinyagents::effects::{
    LedgerError, ToolEffectClaim, ToolEffectLedger, ToolEffectSettle, ToolEffectStart,
    ToolEffectStatus,
};
use tinyagents::model::{Message, ToolMessage};
use tinyagents::tinytools::ToolReplay;
use tinyagents::{PausedRun, PausedRunStore, RunContext, ScriptedModel};

const RESTARTS: usize = 3;

fn start(key: &str) -> ToolEffectStart {
    ToolEffectStart {
        run_id: "r1".into(),
        call_id: key.into(),
        tool_name: "pay".to_owned(),
        key: key.to_owned(),
        request_hash: String::new(),
        replay: ToolReplay::Never,
    }
}

/// Stops the server at once, as a crash would, and starts it again.
async fn restart() {
    let command = std::env::var("TINYAGENTS_POSTGRES_RESTART");
    let command = command.expect("TINYAGENTS_POSTGRES_RESTART kills and starts the server");
    let restart = move || Command::new("sh").args(["-c", &command]).output().unwrap();
    let restarted = tokio::task::spawn_blocking(restart).await.unwrap();
    assert!(restarted.status.success(), "{restarted:?}");
}

async fn paused() -> PausedRun {
    let mut harness: tinyagents::AgentHarness = tinyagents::AgentHarness::new();
    harness.with_model(ScriptedModel::new().call("ask", serde_json::json!({})));
    let ask = tinyagents::ToolSchema::new("ask", "Ask.", serde_json::json!({ "type": "object" }));
    harness.register_external_tool(ask).unwrap();
    let run = harness
        .invoke_in_context(&(), RunContext::new(), vec![Message::user("go")])
        .await;
    PausedRun::of(&run.unwrap()).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "kills a PostgreSQL server"]
async fn a_server_that_dies_and_comes_back_costs_no_call_and_grants_no_key_twice() {
    let database = Database::new("restart").await;
    let options = database.options().lease(Duration::from_secs(2));
    let ledger = options.patience(Duration::from_mins(1)).connect().await;
    let ledger = Arc::new(ledger.unwrap());
    let is_over = Arc::new(AtomicBool::new(false));
    let done = Arc::new(AtomicUsize::new(0));
    let workers = (0..8).map(|worker| {
        let (ledger, is_over, done) =
            (Arc::clone(&ledger), Arc::clone(&is_over), Arc::clone(&done));
        tokio::spawn(async move {
            let mut keys = Vec::new();
            while !is_over.load(Ordering::SeqCst) {
                let key = format!("w{worker}-{}", keys.len());
                let claim = ledger.started(start(&key)).await.unwrap();
                assert_eq!(claim, ToolEffectClaim::Granted(1), "{key}");
                let settle = ToolEffectSettle {
                    tool_name: "pay".to_owned(),
                    key: key.clone(),
                    claim: 1,
                    status: ToolEffectStatus::Completed,
                    answer: Some(ToolMessage::new(&key, "pay", "paid").into()),
                    attempts: 1,
                };
                ledger.settled(settle).await.unwrap();
                // What was withdrawn is gone, however often that was tried.
                let undone = format!("{key} undone");
                ledger.started(start(&undone)).await.unwrap();
                ledger.withdrawn("pay", &undone, 1).await.unwrap();
                keys.push(key);
                done.fetch_add(1, Ordering::SeqCst);
            }
            keys
        })
    });
    let workers: Vec<_> = workers.collect();
    let saver = {
        let (ledger, is_over) = (Arc::clone(&ledger), Arc::clone(&is_over));
        let run = paused().await;
        tokio::spawn(async move {
            let id = run.run_id.clone().unwrap();
            let mut version = None;
            while !is_over.load(Ordering::SeqCst) {
                let saved = ledger.save(&run, version).await.unwrap();
                let claimed = ledger.claim(id.as_str(), saved).await.unwrap();
                ledger.remove(id.as_str(), claimed).await.unwrap();
                version = None;
            }
        })
    };
    for _ in 0..RESTARTS {
        let before = done.load(Ordering::SeqCst);
        while done.load(Ordering::SeqCst) < before + 40 {
            tokio::task::yield_now().await;
        }
        restart().await;
    }
    let before = done.load(Ordering::SeqCst);
    while done.load(Ordering::SeqCst) < before + 40 {
        tokio::task::yield_now().await;
    }
    is_over.store(true, Ordering::SeqCst);
    saver.await.unwrap();
    let keys: Vec<String> = join_all(workers)
        .await
        .into_iter()
        .flat_map(Result::unwrap)
        .collect();
    let database = Database::open("restart").await;
    let count = "SELECT count(*), count(*) FILTER (WHERE status = 'completed' AND claim = 1 AND attempts = 1) FROM effects";
    let row = database.client.query_one(count, &[]).await.unwrap();
    let expected = i64::try_from(keys.len()).unwrap();
    assert_eq!((row.get(0), row.get(1)), (expected, expected));
    // The run is still this host's, and signs of life are sent again.
    let other = database.host().await;
    assert!(matches!(
        other.take_over("r1").await,
        Err(LedgerError::RunHeld { .. })
    ));
    println!("{} calls over {RESTARTS} restarts", keys.len());
}
