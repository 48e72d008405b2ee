//! What a ledger with leases is told of runs and calls, and what becomes of a run that another host has.

#![allow(missing_docs, clippy::panic, clippy::unwrap_used)]

mod effects_support;
mod lifecycle_support;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use effects_support::paying;
use lifecycle_support::{Made, call, harness, sleeper};
use serde_json::json;
use tinyagents::effects::{
    LedgerError, LedgerFailure, MemoryLedger, ToolEffect, ToolEffectClaim, ToolEffectLedger,
    ToolEffectSettle, ToolEffectStart,
};
use tinyagents::model::{Message, ScriptedModel};
use tinyagents::tinytools::ToolReplay;
use tinyagents::{RunContext, TinyAgentsError};

/// A ledger that writes down what it is told, and whose run may be another host's.
#[derive(Default)]
struct Leased {
    inner: MemoryLedger,
    told: Mutex<Vec<String>>,
    is_held: bool,
}

impl Leased {
    fn note(&self, what: &str) {
        self.told.lock().unwrap().push(what.to_owned());
    }

    fn told(&self) -> String {
        self.told.lock().unwrap().join(", ")
    }

    fn check(&self, run_id: &str) -> Result<(), LedgerError> {
        if !self.is_held {
            return Ok(());
        }
        Err(LedgerError::RunHeld {
            run_id: run_id.to_owned(),
        })
    }
}

#[async_trait]
impl ToolEffectLedger for Leased {
    async fn started(&self, start: ToolEffectStart) -> Result<ToolEffectClaim, LedgerError> {
        self.check(start.run_id.as_str())?;
        self.note("started");
        self.inner.started(start).await
    }

    async fn settled(&self, settle: ToolEffectSettle) -> Result<(), LedgerError> {
        self.note("settled");
        self.inner.settled(settle).await
    }

    async fn withdrawn(&self, tool_name: &str, key: &str, claim: u64) -> Result<(), LedgerError> {
        self.note("withdrawn");
        self.inner.withdrawn(tool_name, key, claim).await
    }

    async fn unresolved(&self, run_id: &str) -> Result<Vec<ToolEffect>, LedgerError> {
        self.inner.unresolved(run_id).await
    }

    async fn of_call(&self, run_id: &str, call_id: &str) -> Result<Vec<ToolEffect>, LedgerError> {
        self.note("read");
        self.inner.of_call(run_id, call_id).await
    }

    async fn take_over(&self, run_id: &str) -> Result<(), LedgerError> {
        self.note("taken over");
        self.check(run_id)
    }

    fn released(&self, run_id: &str) {
        assert_eq!(run_id, "r1");
        self.note("released");
    }

    fn abandoned(&self, tool_name: &str, key: &str, claim: u64) {
        assert_eq!((tool_name, key.len(), claim), ("pay", 64, 1));
        self.note("abandoned");
    }
}

fn asked() -> Vec<Message> {
    vec![Message::user("go")]
}

fn context(ledger: &Arc<Leased>) -> RunContext {
    RunContext::new()
        .with_run_id("r1")
        .with_tool_effect_ledger(Arc::clone(ledger))
}

#[tokio::test]
async fn a_run_is_released_at_its_end_and_no_settled_call_is_abandoned() {
    let ledger = Arc::new(Leased::default());
    let model = ScriptedModel::new().call("pay", json!({})).text("done");
    let harness = harness(model, [Made::echo("pay").policy(paying(ToolReplay::Never))]);
    let run = harness.invoke_in_context(&(), context(&ledger), asked());
    run.await.unwrap();
    assert_eq!(ledger.told(), "started, settled, released");
}

#[tokio::test(start_paused = true)]
async fn a_dropped_run_abandons_its_call_and_is_released_after() {
    let ledger = Arc::new(Leased::default());
    let model = ScriptedModel::new().call("pay", json!({}));
    let harness = harness(
        model,
        [sleeper("pay", 1000).policy(paying(ToolReplay::Never))],
    );
    let run = harness.invoke_in_context(&(), context(&ledger), asked());
    let timeout = tokio::time::timeout(Duration::from_millis(10), run);
    assert!(timeout.await.is_err());
    assert_eq!(ledger.told(), "started, abandoned, released");
}

#[tokio::test]
async fn a_run_is_taken_over_before_its_rows_are_looked_at() {
    let ledger = Arc::new(Leased::default());
    let harness = harness(ScriptedModel::new(), []);
    let mut messages = asked();
    messages.push(Message::assistant_calls("", vec![call("c1", "pay")]));
    let ctx = context(&ledger);
    let reconciled = harness.reconcile_tool_effects(&ctx, "r1", &mut messages);
    reconciled.await.unwrap();
    assert_eq!(ledger.told(), "taken over, read");
}

#[tokio::test]
async fn in_a_run_of_another_host_nothing_runs_whatever_this_one_prefers() {
    for failure in [LedgerFailure::Abort, LedgerFailure::Continue] {
        let ledger = Arc::new(Leased {
            is_held: true,
            ..Leased::default()
        });
        let pay = Made::echo("pay").policy(paying(ToolReplay::Never));
        let model = ScriptedModel::new().call("pay", json!({})).text("done");
        let harness = harness(model, [pay.clone()]);
        let ctx = context(&ledger).with_tool_effect_ledger_failure(failure);
        let run = harness.invoke_in_context(&(), ctx, asked());
        let TinyAgentsError::Ledger(error) = run.await.unwrap_err() else {
            panic!("another failure");
        };
        assert!(matches!(
            error.downcast_ref(),
            Some(LedgerError::RunHeld { .. })
        ));
        assert_eq!(pay.runs(), 0);
        assert_eq!(ledger.told(), "released");
    }
}
