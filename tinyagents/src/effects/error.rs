//! What a ledger can fail with.

use super::ToolEffectStatus;

/// Why a ledger could not do what it was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LedgerError {
    /// A settlement of something that was never started, or has been withdrawn.
    #[error("the effect of tool `{tool_name}` was never started")]
    NotStarted {
        /// The tool's canonical name.
        tool_name: String,
    },
    /// Somebody else has claimed the key since.
    #[error(
        "the claim {claim} on the effect of tool `{tool_name}` is over; {newest} is the newest"
    )]
    Superseded {
        /// The tool's canonical name.
        tool_name: String,
        /// The claim that was given.
        claim: u64,
        /// The claim that holds.
        newest: u64,
    },
    /// The effect has come to another end already.
    #[error("the effect of tool `{tool_name}` is settled already: {}", status.as_str())]
    AlreadySettled {
        /// The tool's canonical name.
        tool_name: String,
        /// How it ended.
        status: ToolEffectStatus,
    },
    /// A settlement with the status `Started`.
    #[error("an effect can't be settled as started")]
    NoSettlement,
    /// What is stored can't be read.
    #[error("the ledger {ledger} is damaged; restore a backup, and resume no run from after it")]
    Damaged {
        /// Where it is.
        ledger: String,
        /// What was found.
        source: anyhow::Error,
    },
    /// What is there is something else.
    #[error("{ledger} is not an effect ledger; give it a place of its own")]
    NotALedger {
        /// Where it is.
        ledger: String,
    },
    /// The ledger was written by a newer version.
    #[error(
        "the ledger {ledger} has version {found}, and this program knows {known}; update the program"
    )]
    NewerVersion {
        /// Where it is.
        ledger: String,
        /// The version that is there.
        found: i64,
        /// The newest version that can be read.
        known: i64,
    },
    /// There is no room left.
    #[error("no room is left for the ledger {ledger}; free some")]
    Full {
        /// Where it is.
        ledger: String,
    },
    /// Another process held the ledger for too long. Nothing was recorded.
    #[error(
        "the ledger {ledger} is busy: another process has locked it for too long; end its transaction, then try again"
    )]
    Busy {
        /// Where it is.
        ledger: String,
    },
    /// The database didn't answer for too long. What was asked for may have been done.
    #[error("the ledger {ledger} can't be reached")]
    Unreachable {
        /// Where it is.
        ledger: String,
        /// What the last try failed with.
        source: anyhow::Error,
    },
    /// Another host works on the run, or has taken it over since this one worked on it. Nothing more may be begun here.
    #[error("another host works on the run `{run_id}`, or has taken it over")]
    RunHeld {
        /// The run.
        run_id: String,
    },
    /// Somebody else has resumed, saved or removed the paused run meanwhile.
    #[error(
        "the paused run `{run_id}` is not as it was given out: version {} was expected, and {} is there; somebody else has resumed or changed it",
        version(*expected), version(*found)
    )]
    PausedRunChanged {
        /// The run.
        run_id: String,
        /// The version that was given, if any.
        expected: Option<u64>,
        /// The version that is there, if any.
        found: Option<u64>,
    },
    /// A paused run without the id of its run can't be kept.
    #[error("the paused run has no run id, under which it could be kept")]
    NoRunId,
    /// Anything else.
    #[error(transparent)]
    Other(#[from] anyhow::Error),
}

fn version(number: Option<u64>) -> String {
    number.map_or_else(|| "none".to_owned(), |number| number.to_string())
}
