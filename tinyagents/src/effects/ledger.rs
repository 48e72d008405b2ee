//! What a ledger does.

use std::sync::Arc;

use async_trait::async_trait;
use futures::future::BoxFuture;

use super::{LedgerError, ToolEffect, ToolEffectClaim, ToolEffectSettle, ToolEffectStart};

/// Keeps account of effects, one row per tool and idempotency key.
///
/// What a method has answered must outlive the process. [`check_ledger`](super::check_ledger) tries the rules on any
/// implementation.
#[async_trait]
pub trait ToolEffectLedger: Send + Sync {
    /// Claims the key for one call, atomically, and durably before it answers.
    ///
    /// A key that is free is granted. One that is there is granted again only where the row is `Interrupted` or `Failed`
    /// and both the row and this start are [`Safe`](tinytools::ToolReplay::Safe) to replay; the row then belongs to the
    /// new call, is `Started`, has no answer, and a higher claim and one more attempt. Anything else is taken.
    ///
    /// # Errors
    /// When it can't be recorded; the call is then handled as [`LedgerFailure`](super::LedgerFailure) says.
    async fn started(&self, start: ToolEffectStart) -> Result<ToolEffectClaim, LedgerError>;

    /// Settles a claim, durably before it answers.
    ///
    /// `Completed` and `Failed` are final; they replace `Started` and `Interrupted`. The same status again changes
    /// nothing. Attempts beyond the first are added to the row's.
    ///
    /// # Errors
    /// [`NotStarted`](LedgerError::NotStarted), [`Superseded`](LedgerError::Superseded) for a claim that isn't the newest,
    /// [`AlreadySettled`](LedgerError::AlreadySettled) where the row has another final status, or
    /// [`NoSettlement`](LedgerError::NoSettlement) for `Started`. Nothing has changed then.
    async fn settled(&self, settle: ToolEffectSettle) -> Result<(), LedgerError>;

    /// Forgets a started call that has left the loop before it did anything, so that it can be claimed when it is
    /// resumed.
    ///
    /// # Errors
    /// As [`settled`](Self::settled); a settled row is never forgotten.
    async fn withdrawn(&self, tool_name: &str, key: &str, claim: u64) -> Result<(), LedgerError>;

    /// The rows of a run that are `Started`, oldest first.
    ///
    /// # Errors
    /// When the rows can't be read.
    async fn unresolved(&self, run_id: &str) -> Result<Vec<ToolEffect>, LedgerError>;

    /// All rows of a run that belong to calls of this id, oldest first; several where a provider repeats its ids.
    ///
    /// # Errors
    /// When the rows can't be read.
    async fn of_call(&self, run_id: &str, call_id: &str) -> Result<Vec<ToolEffect>, LedgerError>;

    /// Makes a run this host's, before it is reconciled or resumed: nobody else can begin anything in it from then on.
    /// A run that is this host's already stays so.
    ///
    /// Does nothing by default: a ledger without leases leaves it to its hosts that one of them works on a run at a time.
    ///
    /// # Errors
    /// [`RunHeld`](LedgerError::RunHeld) while another host works on the run; try again when its lease may have lapsed.
    async fn take_over(&self, run_id: &str) -> Result<(), LedgerError> {
        let _ = run_id;
        Ok(())
    }

    /// Tells that this host has left a run, so that others need not wait for its lease to lapse. A harness does so at the
    /// end of each run. Does nothing by default.
    fn released(&self, run_id: &str) {
        let _ = run_id;
    }

    /// Tells that a granted call was dropped before its end, as with its whole run: its row stays started, and the host
    /// no longer works on it. Does nothing by default.
    fn abandoned(&self, tool_name: &str, key: &str, claim: u64) {
        let _ = (tool_name, key, claim);
    }
}

#[async_trait]
impl<L: ToolEffectLedger + ?Sized> ToolEffectLedger for Arc<L> {
    // These two are part of every call: the ledger's own future is handed on, and not put into another one.
    fn started<'a, 'f>(
        &'a self,
        start: ToolEffectStart,
    ) -> BoxFuture<'f, Result<ToolEffectClaim, LedgerError>>
    where
        'a: 'f,
        Self: 'f,
    {
        (**self).started(start)
    }

    fn settled<'a, 'f>(&'a self, settle: ToolEffectSettle) -> BoxFuture<'f, Result<(), LedgerError>>
    where
        'a: 'f,
        Self: 'f,
    {
        (**self).settled(settle)
    }

    async fn withdrawn(&self, tool_name: &str, key: &str, claim: u64) -> Result<(), LedgerError> {
        (**self).withdrawn(tool_name, key, claim).await
    }

    async fn unresolved(&self, run_id: &str) -> Result<Vec<ToolEffect>, LedgerError> {
        (**self).unresolved(run_id).await
    }

    async fn of_call(&self, run_id: &str, call_id: &str) -> Result<Vec<ToolEffect>, LedgerError> {
        (**self).of_call(run_id, call_id).await
    }

    async fn take_over(&self, run_id: &str) -> Result<(), LedgerError> {
        (**self).take_over(run_id).await
    }

    fn released(&self, run_id: &str) {
        (**self).released(run_id);
    }

    fn abandoned(&self, tool_name: &str, key: &str, claim: u64) {
        (**self).abandoned(tool_name, key, claim);
    }
}
