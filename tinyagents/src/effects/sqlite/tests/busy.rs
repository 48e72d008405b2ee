//! What a ledger does while another process holds its file.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use futures::poll;
use rusqlite::Connection;
use serde_json::{Value, json};
use tinytools::{Tool, ToolPolicy, ToolResult};

use super::start;
use crate::effects::sqlite::{SqliteLedger, Synchronous};
use crate::effects::{
    LedgerError, LedgerFailure, ToolEffectClaim, ToolEffectLedger as _, ToolEffectStatus,
};
use crate::model::ToolCall;
use crate::{Batch, Dispatcher, EventLog, RunContext, TinyAgentsError, ToolRegistry};

/// Long enough that a ledger has begun to wait before this one gives up.
const SHORT: Duration = Duration::from_millis(50);
const LOCK: &str = "BEGIN IMMEDIATE";

/// Another process's connection, on which the write lock can be held.
fn other(path: &Path) -> Arc<Mutex<Connection>> {
    Arc::new(Mutex::new(Connection::open(path).unwrap()))
}

fn execute(other: &Mutex<Connection>, sql: &str) {
    other.lock().unwrap().execute_batch(sql).unwrap();
}

/// Counts its runs; in the first one the other process takes the lock.
#[derive(Clone)]
struct Pay {
    runs: Arc<AtomicUsize>,
    taken_by: Option<Arc<Mutex<Connection>>>,
}

#[async_trait]
impl Tool for Pay {
    fn name(&self) -> &'static str {
        "pay"
    }

    fn description(&self) -> &'static str {
        "Pays."
    }

    fn parameters_schema(&self) -> Value {
        json!({ "type": "object" })
    }

    fn policy(&self) -> ToolPolicy {
        ToolPolicy::classified()
    }

    async fn execute(&self, _: Value) -> anyhow::Result<ToolResult> {
        if self.runs.fetch_add(1, Ordering::SeqCst) == 0
            && let Some(other) = &self.taken_by
        {
            execute(other, LOCK);
        }
        Ok(ToolResult::success("paid"))
    }
}

/// Dispatches one call; how often the tool has run is counted in `pay`.
async fn call(
    ledger: &Arc<SqliteLedger>,
    pay: &Pay,
    events: &EventLog,
) -> Result<Batch, TinyAgentsError> {
    let mut registry = ToolRegistry::new();
    registry.register(pay.clone()).unwrap();
    let ctx = RunContext::new()
        .with_run_id("r")
        .with_events(events.clone())
        .with_tool_effect_ledger(Arc::clone(ledger))
        .with_tool_effect_ledger_failure(LedgerFailure::Abort);
    let calls = vec![ToolCall::new("c", "pay", json!({}))];
    Dispatcher::new(registry).dispatch(&(), &ctx, calls).await
}

fn impatient(path: &Path) -> Arc<SqliteLedger> {
    Arc::new(SqliteLedger::open_waiting(path, Synchronous::Normal, SHORT).unwrap())
}

#[tokio::test]
async fn a_file_that_is_held_for_too_long_is_busy_and_no_call_runs_without_its_row() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("l.db");
    let ledger = impatient(&path);
    let (other, events) = (other(&path), EventLog::new());
    let pay = Pay {
        runs: Arc::default(),
        taken_by: None,
    };
    execute(&other, LOCK);
    let Err(TinyAgentsError::Ledger(error)) = call(&ledger, &pay, &events).await else {
        panic!("the call was not refused");
    };
    let busy = error.downcast_ref::<LedgerError>();
    assert!(matches!(busy, Some(LedgerError::Busy { .. })), "{error:?}");
    let text = error.to_string();
    assert!(
        text.contains("l.db is busy") && text.contains("try again"),
        "{text}"
    );
    assert_eq!(pay.runs.load(Ordering::SeqCst), 0);

    // Readers don't wait, nothing is left behind, and what was refused can be asked for again.
    assert!(ledger.of_call("r", "c").await.unwrap().is_empty());
    execute(&other, "COMMIT");
    let batch = call(&ledger, &pay, &events).await.unwrap();
    assert_eq!(batch.messages[0].content, "paid");
    assert_eq!(pay.runs.load(Ordering::SeqCst), 1);
    let rows = ledger.of_call("r", "c").await.unwrap();
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].status, ToolEffectStatus::Completed);
}

#[tokio::test]
async fn a_result_that_can_not_be_settled_stands_and_its_row_stays_started() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("l.db");
    let ledger = impatient(&path);
    let (other, events) = (other(&path), EventLog::new());
    let taken_by = Some(Arc::clone(&other));
    let pay = Pay {
        runs: Arc::default(),
        taken_by,
    };
    let batch = call(&ledger, &pay, &events).await.unwrap();
    assert_eq!(batch.messages[0].content, "paid");
    let told = format!("{:?}", events.events());
    assert!(told.contains("settlement of call c: the ledger"), "{told}");
    assert_eq!(ledger.unresolved("r").await.unwrap().len(), 1);

    // Nobody knows whether it was paid, so it isn't paid again.
    execute(&other, "COMMIT");
    let batch = call(&ledger, &pay, &events).await.unwrap();
    assert!(batch.messages[0].is_error);
    assert_eq!(pay.runs.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_file_that_is_given_back_in_time_was_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("l.db");
    let patient = SqliteLedger::open_with(&path, Synchronous::Normal).unwrap();
    let (impatient, other) = (impatient(&path), other(&path));
    execute(&other, LOCK);
    let mut waiting = patient.started(start("patient"));
    assert!(poll!(&mut waiting).is_pending());
    // Once this one has given up that began after the other one's worker, that has been waiting.
    let mut has_waited = false;
    while !has_waited {
        has_waited = patient.is_at_work();
        let refused = impatient.started(start("impatient")).await;
        assert!(matches!(refused, Err(LedgerError::Busy { .. })));
    }
    assert!(poll!(&mut waiting).is_pending());
    execute(&other, "COMMIT");
    let claim = waiting.await;
    assert!(
        matches!(claim, Ok(ToolEffectClaim::Granted(1))),
        "{claim:?}"
    );
    let rows = patient.unresolved("r").await.unwrap();
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].key, "patient");
}
