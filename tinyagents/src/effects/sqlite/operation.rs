//! What a database is asked to do, and what comes of it.

use crate::effects::{LedgerError, ToolEffect, ToolEffectClaim, ToolEffectSettle, ToolEffectStart};

/// What is to be done.
pub(super) enum Operation {
    Start(ToolEffectStart),
    Settle(ToolEffectSettle),
    Withdraw {
        tool_name: String,
        key: String,
        claim: u64,
    },
    Unresolved(String),
    OfCall {
        run_id: String,
        call_id: String,
    },
    /// A paused run, as JSON; `None` for one that is not there yet.
    SaveRun {
        run_id: String,
        text: String,
        expected: Option<u64>,
    },
    LoadRun(String),
    ClaimRun {
        run_id: String,
        expected: u64,
    },
    RemoveRun {
        run_id: String,
        expected: u64,
    },
}

impl Operation {
    /// Whether nothing is written.
    pub(super) fn is_read(&self) -> bool {
        matches!(
            self,
            Self::Unresolved(_) | Self::OfCall { .. } | Self::LoadRun(_)
        )
    }
}

/// What came of it.
pub(super) enum Outcome {
    Done,
    Claim(ToolEffectClaim),
    Rows(Vec<ToolEffect>),
    /// The version of a paused run, now.
    Version(u64),
    /// A paused run as JSON, and its version.
    Run(Option<(String, u64)>),
}

impl Outcome {
    pub(super) fn into_claim(self) -> Result<ToolEffectClaim, LedgerError> {
        match self {
            Self::Claim(claim) => Ok(claim),
            _ => Err(unfit()),
        }
    }

    pub(super) fn into_rows(self) -> Result<Vec<ToolEffect>, LedgerError> {
        match self {
            Self::Rows(rows) => Ok(rows),
            _ => Err(unfit()),
        }
    }

    pub(super) fn into_version(self) -> Result<u64, LedgerError> {
        match self {
            Self::Version(version) => Ok(version),
            _ => Err(unfit()),
        }
    }

    pub(super) fn into_run(self) -> Result<Option<(String, u64)>, LedgerError> {
        match self {
            Self::Run(run) => Ok(run),
            _ => Err(unfit()),
        }
    }
}

fn unfit() -> LedgerError {
    anyhow::anyhow!("the ledger answered something else than it was asked").into()
}
