//! A row of the ledger.

use serde::{Deserialize, Serialize};
use tinytools::ToolReplay;

use super::{RecordedAnswer, ToolEffectStart, ToolEffectStatus};
use crate::context::{CallId, RunId};

/// What a ledger knows of one effect.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolEffect {
    /// The run that holds the claim.
    pub run_id: RunId,
    /// The call that holds it.
    pub call_id: CallId,
    /// The tool's canonical name.
    pub tool_name: String,
    /// The idempotency key.
    pub key: String,
    /// As in [`ToolEffectStart::request_hash`].
    pub request_hash: String,
    /// Whether the tool may run again after an interruption.
    pub replay: ToolReplay,
    /// How far it has come.
    pub status: ToolEffectStatus,
    /// The number of the newest claim, counted from 1.
    pub claim: u64,
    /// How often the tool was begun in all, as far as it was recorded.
    pub attempts: u32,
    /// What came of it, without redacted values.
    pub answer: Option<RecordedAnswer>,
}

impl ToolEffect {
    /// A new row: the first claim.
    #[must_use]
    pub fn new(start: ToolEffectStart) -> Self {
        let ToolEffectStart {
            run_id,
            call_id,
            tool_name,
            key,
            request_hash,
            replay,
        } = start;
        Self {
            run_id,
            call_id,
            tool_name,
            key,
            request_hash,
            replay,
            status: ToolEffectStatus::Started,
            claim: 1,
            attempts: 1,
            answer: None,
        }
    }
}
