//! The memory ledger, and the check itself: a ledger that breaks a rule doesn't pass.

#![allow(missing_docs, clippy::unwrap_used)]

use async_trait::async_trait;
use tinyagents::check_paused_runs;
use tinyagents::effects::{
    LedgerError, MemoryLedger, ToolEffect, ToolEffectClaim, ToolEffectLedger, ToolEffectSettle,
    ToolEffectStart, check_ledger,
};

#[tokio::test]
async fn the_memory_ledger_keeps_every_rule() {
    let ledger = MemoryLedger::new();
    check_ledger(&ledger).await.unwrap();
    check_paused_runs(&ledger).await.unwrap();
}

/// A ledger with one fault.
struct Faulty {
    inner: MemoryLedger,
    fault: Fault,
}

#[derive(Clone, Copy, Debug)]
enum Fault {
    GrantsAlways,
    ForgetsTools,
    ForgetsAnswers,
    KeepsTheRowAlone,
    IgnoresClaims,
    NeverWithdraws,
    MixesRuns,
}

#[async_trait]
impl ToolEffectLedger for Faulty {
    async fn started(&self, mut start: ToolEffectStart) -> Result<ToolEffectClaim, LedgerError> {
        if matches!(self.fault, Fault::ForgetsTools) {
            start.tool_name = String::from("any");
        }
        let claim = self.inner.started(start).await?;
        Ok(match (self.fault, claim) {
            (Fault::GrantsAlways, ToolEffectClaim::Taken(_)) => ToolEffectClaim::Granted(2),
            (_, claim) => claim,
        })
    }

    async fn settled(&self, mut settle: ToolEffectSettle) -> Result<(), LedgerError> {
        match self.fault {
            Fault::ForgetsTools => settle.tool_name = String::from("any"),
            Fault::ForgetsAnswers => settle.answer = None,
            Fault::KeepsTheRowAlone => settle.answer = settle.answer.map(|it| it.row.into()),
            _ => {}
        }
        match self.inner.settled(settle).await {
            Err(LedgerError::Superseded { .. }) if matches!(self.fault, Fault::IgnoresClaims) => {
                Ok(())
            }
            settled => settled,
        }
    }

    async fn withdrawn(&self, tool_name: &str, key: &str, claim: u64) -> Result<(), LedgerError> {
        match self.fault {
            Fault::NeverWithdraws => Ok(()),
            _ => self.inner.withdrawn(tool_name, key, claim).await,
        }
    }

    async fn unresolved(&self, run_id: &str) -> Result<Vec<ToolEffect>, LedgerError> {
        let mut rows = self.inner.unresolved(run_id).await?;
        if matches!(self.fault, Fault::MixesRuns) {
            rows.reverse();
        }
        Ok(rows)
    }

    async fn of_call(&self, run_id: &str, call_id: &str) -> Result<Vec<ToolEffect>, LedgerError> {
        self.inner.of_call(run_id, call_id).await
    }
}

#[tokio::test]
async fn a_ledger_that_breaks_a_rule_is_found_out() {
    for fault in [
        Fault::GrantsAlways,
        Fault::ForgetsTools,
        Fault::ForgetsAnswers,
        Fault::KeepsTheRowAlone,
        Fault::IgnoresClaims,
        Fault::NeverWithdraws,
        Fault::MixesRuns,
    ] {
        let ledger = Faulty {
            inner: MemoryLedger::new(),
            fault,
        };
        assert!(check_ledger(&ledger).await.is_err(), "{fault:?}");
    }
}
