//! What a ledger can fail with.

use std::path::PathBuf;

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
    #[error("the ledger {} is damaged; restore a backup, and resume no run from after it", path.display())]
    Damaged {
        /// The ledger's file.
        path: PathBuf,
        /// What was found.
        source: anyhow::Error,
    },
    /// The file is something else.
    #[error("{} is not an effect ledger; give it a file of its own", path.display())]
    NotALedger {
        /// The file.
        path: PathBuf,
    },
    /// The ledger was written by a newer version.
    #[error("the ledger {} has version {found}, and this program knows {known}; update the program", path.display())]
    NewerVersion {
        /// The ledger's file.
        path: PathBuf,
        /// The file's version.
        found: i64,
        /// The newest version that can be read.
        known: i64,
    },
    /// There is no room left.
    #[error("no room is left for the ledger {}; free some", path.display())]
    Full {
        /// The ledger's file.
        path: PathBuf,
    },
    /// Another process held the ledger for too long.
    #[error("the ledger {} is busy; another process holds it", path.display())]
    Busy {
        /// The ledger's file.
        path: PathBuf,
    },
    /// Anything else.
    #[error(transparent)]
    Other(#[from] anyhow::Error),
}
