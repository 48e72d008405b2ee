//! The ledger that a host opens.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::oneshot;

use super::database::Database;
use super::operation::{Operation, Outcome};
use super::worker::{self, Job};
use crate::deferred::{PausedRun, PausedRunStore, SavedRun};
use crate::effects::stored::{run_of, run_to_text};
use crate::effects::{
    LedgerError, ToolEffect, ToolEffectClaim, ToolEffectLedger, ToolEffectSettle, ToolEffectStart,
};
use crate::sqlite_file::PATIENCE;

/// What a row that was written survives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Synchronous {
    /// The death of the machine: each write waits for the disk.
    #[default]
    Full,
    /// The death of the process. When the machine dies, the newest rows may be lost, and their effects be forgotten.
    Normal,
}

/// A ledger in one SQLite file, safe with several processes on one machine.
///
/// The file is in WAL mode and has the mode 0600; `-wal` and `-shm` beside it belong to it. One thread does all the
/// work, so that no async thread waits for a disk; writes that come together are made durable together. Where none
/// waits for the disk, with [`Synchronous::Normal`], a short row is written by whoever has it, in some tens of
/// microseconds. A ledger that another process holds is waited for, 5 seconds.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("effects.db");
/// use std::sync::Arc;
/// use tinyagents::{RunContext, SqliteLedger, ToolEffectLedger};
///
/// let ledger: Arc<dyn ToolEffectLedger> = Arc::new(SqliteLedger::open(path)?);
/// let ctx = RunContext::new().with_run_id("r1").with_tool_effect_ledger(ledger);
/// # let _ = ctx;
/// # Ok(())
/// # }
/// ```
pub struct SqliteLedger {
    path: PathBuf,
    /// There where no write waits for the disk.
    at_once: Option<Arc<Mutex<Database>>>,
    /// The worker ends when the last of these is dropped, after what it was given.
    jobs: Sender<Job>,
}

impl SqliteLedger {
    /// Opens a ledger, or makes one, whose rows survive the death of the machine. Blocks while the file is opened.
    ///
    /// # Errors
    /// [`NotALedger`](LedgerError::NotALedger), [`NewerVersion`](LedgerError::NewerVersion),
    /// [`Damaged`](LedgerError::Damaged), [`Busy`](LedgerError::Busy), [`Full`](LedgerError::Full), or what the file
    /// system says.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, LedgerError> {
        Self::open_with(path, Synchronous::Full)
    }

    /// The same, with a choice of what rows survive.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_with(
        path: impl AsRef<Path>,
        synchronous: Synchronous,
    ) -> Result<Self, LedgerError> {
        Self::open_waiting(path.as_ref(), synchronous, PATIENCE)
    }

    pub(super) fn open_waiting(
        path: &Path,
        synchronous: Synchronous,
        patience: Duration,
    ) -> Result<Self, LedgerError> {
        let database = Database::open(path, synchronous, patience)?;
        let database = Arc::new(Mutex::new(database));
        Ok(Self {
            path: path.to_owned(),
            jobs: worker::spawn(Arc::clone(&database))?,
            at_once: (synchronous == Synchronous::Normal).then_some(database),
        })
    }

    /// The ledger's file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    async fn run(&self, operation: Operation) -> Result<Outcome, LedgerError> {
        if let Some(done) = self.try_at_once(&operation) {
            return done;
        }
        let ended = || anyhow::anyhow!("the thread of the ledger has ended");
        let (reply, answer) = oneshot::channel();
        let job = Job { operation, reply };
        self.jobs.send(job).map_err(|_| ended())?;
        answer.await.map_err(|_| ended())?
    }

    /// Does it in this thread, where that takes less time than asking another one. `None` where it would have to wait.
    pub(super) fn try_at_once(
        &self,
        operation: &Operation,
    ) -> Option<Result<Outcome, LedgerError>> {
        let database = self.at_once.as_ref().filter(|_| operation.is_brief())?;
        // The worker is at it, and takes this one along with others.
        let mut database = database.try_lock().ok()?;
        database.run_at_once(operation)
    }

    /// Whether the worker has the file, and does something or waits for another process.
    #[cfg(test)]
    pub(super) fn is_at_work(&self) -> bool {
        let database = self.at_once.as_ref();
        database.is_some_and(|database| database.try_lock().is_err())
    }
}

impl fmt::Debug for SqliteLedger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteLedger")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl ToolEffectLedger for SqliteLedger {
    async fn started(&self, start: ToolEffectStart) -> Result<ToolEffectClaim, LedgerError> {
        self.run(Operation::Start(start)).await?.into_claim()
    }

    async fn settled(&self, settle: ToolEffectSettle) -> Result<(), LedgerError> {
        self.run(Operation::Settle(settle)).await.map(drop)
    }

    async fn withdrawn(&self, tool_name: &str, key: &str, claim: u64) -> Result<(), LedgerError> {
        let withdraw = Operation::Withdraw {
            tool_name: tool_name.to_owned(),
            key: key.to_owned(),
            claim,
        };
        self.run(withdraw).await.map(drop)
    }

    async fn unresolved(&self, run_id: &str) -> Result<Vec<ToolEffect>, LedgerError> {
        let operation = Operation::Unresolved(run_id.to_owned());
        self.run(operation).await?.into_rows()
    }

    async fn of_call(&self, run_id: &str, call_id: &str) -> Result<Vec<ToolEffect>, LedgerError> {
        let operation = Operation::OfCall {
            run_id: run_id.to_owned(),
            call_id: call_id.to_owned(),
        };
        self.run(operation).await?.into_rows()
    }
}

#[async_trait]
impl PausedRunStore for SqliteLedger {
    async fn save(&self, run: &PausedRun, version: Option<u64>) -> Result<u64, LedgerError> {
        let (run_id, text) = run_to_text(run)?;
        let operation = Operation::SaveRun {
            run_id,
            text,
            expected: version,
        };
        self.run(operation).await?.into_version()
    }

    async fn load(&self, run_id: &str) -> Result<Option<SavedRun>, LedgerError> {
        let operation = Operation::LoadRun(run_id.to_owned());
        let stored = self.run(operation).await?.into_run()?;
        stored.map(run_of).transpose()
    }

    async fn claim(&self, run_id: &str, version: u64) -> Result<u64, LedgerError> {
        let operation = Operation::ClaimRun {
            run_id: run_id.to_owned(),
            expected: version,
        };
        self.run(operation).await?.into_version()
    }

    async fn remove(&self, run_id: &str, version: u64) -> Result<(), LedgerError> {
        let operation = Operation::RemoveRun {
            run_id: run_id.to_owned(),
            expected: version,
        };
        self.run(operation).await.map(drop)
    }
}
