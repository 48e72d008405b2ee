//! The ledger that a host opens.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use super::claim::Claim;
use super::database::Database;
use super::heartbeat;
use super::holds::Holds;
use super::lease::{Holder, TakeOver};
use super::options::PostgresOptions;
use super::paused_runs::{Load, Remove, Write};
use super::rows::Rows;
use super::settle::{Settle, Withdraw};
use crate::context::RunId;
use crate::deferred::{PausedRun, PausedRunStore, SavedRun};
use crate::effects::stored::{run_of, run_to_text};
use crate::effects::{
    LedgerError, ToolEffect, ToolEffectClaim, ToolEffectLedger, ToolEffectSettle, ToolEffectStart,
};

/// A ledger in PostgreSQL, for many hosts. One value is one host: give all runs of a process the same one.
///
/// A run has one host at a time, by a lease that this value prolongs while it works on the run. When the host falls
/// silent, the lease lapses, and exactly one other host can take the run over; from then on the old host can begin
/// nothing more in it ([`RunHeld`](LedgerError::RunHeld)), should it wake up again. What its tools have done it can still
/// record. Only the database's clock counts; those of the hosts may differ.
///
/// Connections are pooled. A server that restarts or is out of reach is waited for, 10 seconds by default. A pooler in
/// between must pool sessions, not transactions.
///
/// ```no_run
/// # async fn open() -> Result<(), tinyagents::LedgerError> {
/// use std::sync::Arc;
/// use tinyagents::{PostgresLedger, RunContext, ToolEffectLedger};
///
/// let ledger = PostgresLedger::connect("postgres://app@db.internal/app?sslmode=require").await?;
/// let ledger: Arc<dyn ToolEffectLedger> = Arc::new(ledger);
/// let ctx = RunContext::new().with_run_id("r1").with_tool_effect_ledger(ledger);
/// # let _ = ctx;
/// # Ok(())
/// # }
/// ```
pub struct PostgresLedger {
    database: Arc<Database>,
    holder: Arc<Holder>,
    /// Held for a look-up or a change, never across an await.
    holds: Arc<Mutex<Holds>>,
    /// Runs to give back, with their tokens. The heartbeat ends when this is dropped.
    released: UnboundedSender<(String, i64)>,
    /// Tells one operation of this host from another.
    operations: AtomicU64,
}

impl PostgresLedger {
    /// Opens a ledger with the defaults of [`PostgresOptions`], in the runtime that is to use it.
    ///
    /// # Errors
    /// As [`PostgresOptions::connect`].
    pub async fn connect(url: impl Into<String>) -> Result<Self, LedgerError> {
        PostgresOptions::new(url).connect().await
    }

    pub(super) async fn open(options: PostgresOptions) -> Result<Self, LedgerError> {
        let database = Arc::new(Database::open(&options).await?);
        let holder = Arc::new(Holder {
            id: RunId::generate().as_str().replacen("run-", "host-", 1),
            lease: options.lease,
        });
        let holds = Arc::default();
        let (released, left) = unbounded_channel();
        tokio::spawn(heartbeat::beat(
            Arc::clone(&database),
            Arc::clone(&holder),
            Arc::clone(&holds),
            left,
        ));
        Ok(Self {
            database,
            holder,
            holds,
            released,
            operations: AtomicU64::new(0),
        })
    }

    fn holds(&self) -> MutexGuard<'_, Holds> {
        self.holds.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A name that no other operation has, of any host.
    fn operation(&self) -> String {
        let number = self.operations.fetch_add(1, Ordering::Relaxed);
        format!("{}/{number}", self.holder.id)
    }
}

impl fmt::Debug for PostgresLedger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresLedger")
            .field("place", &self.database.place())
            .field("holder", &self.holder.id)
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl ToolEffectLedger for PostgresLedger {
    async fn started(&self, start: ToolEffectStart) -> Result<ToolEffectClaim, LedgerError> {
        let run_id = start.run_id.as_str();
        let token = self.holds().token(run_id);
        let claim = Claim {
            start: &start,
            holder: &self.holder,
            claimant: &self.operation(),
            token,
        };
        let (claim, token) = self.database.perform(&claim).await?;
        let mut holds = self.holds();
        if let Some(token) = token {
            holds.took(run_id, token);
        }
        if let ToolEffectClaim::Granted(number) = &claim {
            let number = *number;
            holds.opened(run_id, (start.tool_name.clone(), start.key.clone(), number));
        }
        Ok(claim)
    }

    async fn settled(&self, settle: ToolEffectSettle) -> Result<(), LedgerError> {
        let task = Settle {
            settle: &settle,
            holder: &self.holder,
        };
        let settled = self.database.perform(&task).await;
        self.holds()
            .closed(&(settle.tool_name, settle.key, settle.claim));
        settled
    }

    async fn withdrawn(&self, tool_name: &str, key: &str, claim: u64) -> Result<(), LedgerError> {
        let task = Withdraw {
            tool_name,
            key,
            claim,
        };
        let withdrawn = self.database.perform(&task).await;
        self.holds()
            .closed(&(tool_name.to_owned(), key.to_owned(), claim));
        withdrawn
    }

    async fn unresolved(&self, run_id: &str) -> Result<Vec<ToolEffect>, LedgerError> {
        self.database.perform(&Rows::Unresolved { run_id }).await
    }

    async fn of_call(&self, run_id: &str, call_id: &str) -> Result<Vec<ToolEffect>, LedgerError> {
        let rows = Rows::OfCall { run_id, call_id };
        self.database.perform(&rows).await
    }

    async fn take_over(&self, run_id: &str) -> Result<(), LedgerError> {
        let task = TakeOver {
            holder: &self.holder,
            run_id,
        };
        let token = self.database.perform(&task).await?;
        self.holds().took(run_id, token);
        Ok(())
    }

    fn released(&self, run_id: &str) {
        let token = self.holds().released(run_id);
        if let Some(token) = token {
            // The heartbeat lives as long as its runtime; without it the lease lapses by itself.
            let _ = self.released.send((run_id.to_owned(), token));
        }
    }

    fn abandoned(&self, tool_name: &str, key: &str, claim: u64) {
        self.holds()
            .abandoned(&(tool_name.to_owned(), key.to_owned(), claim));
    }
}

#[async_trait]
impl PausedRunStore for PostgresLedger {
    async fn save(&self, run: &PausedRun, version: Option<u64>) -> Result<u64, LedgerError> {
        let (run_id, text) = run_to_text(run)?;
        let write = Write {
            run_id: &run_id,
            text: Some(&text),
            expected: version,
            writer: &self.operation(),
        };
        self.database.perform(&write).await
    }

    async fn load(&self, run_id: &str) -> Result<Option<SavedRun>, LedgerError> {
        let stored = self.database.perform(&Load { run_id }).await?;
        stored.map(run_of).transpose()
    }

    async fn claim(&self, run_id: &str, version: u64) -> Result<u64, LedgerError> {
        let write = Write {
            run_id,
            text: None,
            expected: Some(version),
            writer: &self.operation(),
        };
        self.database.perform(&write).await
    }

    async fn remove(&self, run_id: &str, version: u64) -> Result<(), LedgerError> {
        let remove = Remove {
            run_id,
            expected: version,
        };
        self.database.perform(&remove).await
    }
}
