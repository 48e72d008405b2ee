//! What a ledger that fails costs a run.

#![allow(missing_docs, clippy::unwrap_used)]

mod effects_support;
mod lifecycle_support;

use std::sync::Arc;

use async_trait::async_trait;
use effects_support::paying;
use lifecycle_support::{Made, call, dispatch, dispatcher};
use tinyagents::effects::{
    LedgerError, LedgerFailure, MemoryLedger, ToolEffect, ToolEffectClaim, ToolEffectLedger,
    ToolEffectSettle, ToolEffectStart,
};
use tinyagents::tinytools::ToolReplay;
use tinyagents::{AgentEvent, EventLog, RunContext, TinyAgentsError};

/// A ledger that fails at one thing.
struct Broken {
    inner: MemoryLedger,
    starts: bool,
    settlements: bool,
}

#[async_trait]
impl ToolEffectLedger for Broken {
    async fn started(&self, start: ToolEffectStart) -> Result<ToolEffectClaim, LedgerError> {
        if self.starts && start.call_id != "fine" {
            return Err(anyhow::anyhow!("no disk").into());
        }
        self.inner.started(start).await
    }

    async fn settled(&self, settle: ToolEffectSettle) -> Result<(), LedgerError> {
        if self.settlements {
            return Err(anyhow::anyhow!("no disk").into());
        }
        self.inner.settled(settle).await
    }

    async fn withdrawn(&self, tool_name: &str, key: &str, claim: u64) -> Result<(), LedgerError> {
        self.inner.withdrawn(tool_name, key, claim).await
    }

    async fn unresolved(&self, run_id: &str) -> Result<Vec<ToolEffect>, LedgerError> {
        self.inner.unresolved(run_id).await
    }

    async fn of_call(&self, run_id: &str, call_id: &str) -> Result<Vec<ToolEffect>, LedgerError> {
        self.inner.of_call(run_id, call_id).await
    }
}

fn broken(starts: bool, settlements: bool) -> (EventLog, RunContext) {
    let log = EventLog::new();
    let ledger = Broken {
        inner: MemoryLedger::new(),
        starts,
        settlements,
    };
    let ctx = RunContext::new().with_run_id("r1").with_events(log.clone());
    (log, ctx.with_tool_effect_ledger(Arc::new(ledger)))
}

fn is_told(log: &EventLog) -> bool {
    let told = |event: &AgentEvent| matches!(event, AgentEvent::ControlApplied { control, .. } if control == "ledger_failed");
    log.events().iter().any(told)
}

#[tokio::test]
async fn a_start_that_can_not_be_recorded_aborts_the_run_and_keeps_what_was_done() {
    let (log, ctx) = broken(true, false);
    let tool = Made::echo("pay").policy(paying(ToolReplay::Never));
    let dispatcher = dispatcher([tool.clone(), Made::echo("read")]);
    let calls = vec![
        call("fine", "pay"),
        call("c2", "pay"),
        call("c3", "read"),
        call("c4", "pay"),
    ];
    let failed = dispatcher.dispatch(&(), &ctx, calls).await.unwrap_err();
    assert!(matches!(failed, TinyAgentsError::Ledger(_)), "{failed}");
    assert!(is_told(&log));
    let run = ctx.failed_run().unwrap();
    let rows: Vec<_> = run
        .messages
        .iter()
        .filter_map(|message| message.as_tool())
        .collect();
    let texts: Vec<&str> = rows.iter().map(|row| row.content.as_str()).collect();
    assert_eq!(
        texts,
        [
            "{}",
            "not run: its effect could not be recorded",
            "not run: the run failed",
            "not run: the run failed"
        ]
    );
    assert_eq!(tool.runs(), 1);
}

#[tokio::test]
async fn a_host_may_go_on_without_its_ledger() {
    let (log, ctx) = broken(true, false);
    let ctx = ctx.with_tool_effect_ledger_failure(LedgerFailure::Continue);
    let tool = Made::echo("pay").policy(paying(ToolReplay::Never));
    let batch = dispatch(&dispatcher([tool]), &ctx, vec![call("c1", "pay")]).await;
    assert_eq!(batch.messages[0].content, "{}");
    assert!(is_told(&log));
}

#[tokio::test]
async fn a_child_run_can_not_loosen_what_becomes_of_a_failure() {
    let (_log, ctx) = broken(true, false);
    let child = ctx
        .child()
        .with_tool_effect_ledger_failure(LedgerFailure::Continue);
    let dispatcher = dispatcher([Made::echo("pay").policy(paying(ToolReplay::Never))]);
    let failed = dispatcher
        .dispatch(&(), &child, vec![call("c1", "pay")])
        .await;
    assert!(failed.is_err());
}

#[tokio::test]
async fn a_settlement_that_fails_never_costs_a_result() {
    let (log, ctx) = broken(false, true);
    let tool = Made::echo("pay").policy(paying(ToolReplay::Never));
    let batch = dispatch(&dispatcher([tool]), &ctx, vec![call("c1", "pay")]).await;
    assert!(!batch.messages[0].is_error && batch.stop.is_none());
    assert!(is_told(&log));
}
