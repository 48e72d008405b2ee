//! Where paused runs are kept until their answers are there.

use async_trait::async_trait;

use super::PausedRun;
use crate::effects::LedgerError;

/// Keeps paused runs, one per run id, so that an approval can come days later and on another host.
///
/// Locking is optimistic: whoever changes a run names the version that he has seen. Of two hosts that resume one run,
/// one wins; the other is told so by [`PausedRunChanged`](LedgerError::PausedRunChanged), before anything has run.
/// [`MemoryLedger`](crate::MemoryLedger) and the ledgers in databases are such stores;
/// [`check_paused_runs`](super::check_paused_runs) tries the rules on any implementation.
///
/// ```
/// # use tinyagents::{AgentHarness, DeferredToolResults, PausedRun, PausedRunStore, RunContext};
/// # async fn later(
/// #     harness: AgentHarness, store: &dyn PausedRunStore, results: DeferredToolResults,
/// # ) -> Result<(), Box<dyn std::error::Error>> {
/// let Some(saved) = store.load("order-17").await? else {
///     return Ok(());
/// };
/// // From here on the run is this host's. Should it die now, the run is still there, under this version.
/// let version = store.claim("order-17", saved.version).await?;
/// let run = harness.resume_deferred(&(), saved.run.context(), saved.run.messages, results).await?;
/// match PausedRun::of(&run) {
///     Some(paused) => drop(store.save(&paused, Some(version)).await?),
///     None => store.remove("order-17", version).await?,
/// }
/// # Ok(())
/// # }
/// ```
#[async_trait]
pub trait PausedRunStore: Send + Sync {
    /// Saves a run under its id, durably before it answers; the answer is its new version, which was never given before.
    /// `version` is the one that it replaces, `None` where there is none.
    ///
    /// # Errors
    /// [`PausedRunChanged`](LedgerError::PausedRunChanged) where another version, or none, is there;
    /// [`NoRunId`](LedgerError::NoRunId); or that it can't be written. Nothing has changed then.
    async fn save(&self, run: &PausedRun, version: Option<u64>) -> Result<u64, LedgerError>;

    /// The run of that id as it was last saved, if there is one.
    ///
    /// # Errors
    /// When it can't be read, or has the form of a newer version of this crate.
    async fn load(&self, run_id: &str) -> Result<Option<SavedRun>, LedgerError>;

    /// Gives the run as it is a new version, durably before it answers: whoever got one may resume it, and nobody else
    /// who has seen the old one.
    ///
    /// # Errors
    /// As [`save`](Self::save).
    async fn claim(&self, run_id: &str, version: u64) -> Result<u64, LedgerError>;

    /// Forgets a run, once it has come to its end.
    ///
    /// # Errors
    /// As [`save`](Self::save).
    async fn remove(&self, run_id: &str, version: u64) -> Result<(), LedgerError>;
}

/// A paused run as a store gives it out.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SavedRun {
    /// The run.
    pub run: PausedRun,
    /// Its version, to be named with the next change.
    pub version: u64,
}

impl SavedRun {
    /// For a store of one's own.
    #[must_use]
    pub fn new(run: PausedRun, version: u64) -> Self {
        Self { run, version }
    }
}
