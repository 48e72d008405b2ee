//! What to do without a ledger.

use serde::{Deserialize, Serialize};

/// What becomes of a call whose start can't be recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LedgerFailure {
    /// It isn't run, and the run fails with [`TinyAgentsError::Ledger`](crate::TinyAgentsError::Ledger).
    #[default]
    Abort,
    /// It runs without a row: for hosts that prefer going on to being certain. The host is told by an event.
    Continue,
}
