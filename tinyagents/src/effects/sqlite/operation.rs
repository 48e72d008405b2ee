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

/// Bytes of an answer that are written by the way.
const BRIEF: usize = 16 * 1024;

impl Operation {
    /// How much it writes, in short rows.
    pub(super) fn weight(&self) -> u32 {
        if self.is_read() {
            0
        } else if self.is_brief() {
            1
        } else {
            50
        }
    }

    /// Whether it writes a short row by its key, and so takes some tens of microseconds where no disk is waited for.
    pub(super) fn is_brief(&self) -> bool {
        match self {
            Self::Start(_) => true,
            Self::Settle(settle) => settle.answer.as_ref().is_none_or(|answer| {
                answer.row.content.len() <= BRIEF
                    && answer.row.blocks.is_empty()
                    && answer.follow_up.is_empty()
                    && answer.metadata.is_none()
            }),
            _ => false,
        }
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
