//! The end of an effect.

use super::{RecordedAnswer, ToolEffectStatus};

/// A call that has come to its end.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolEffectSettle {
    /// The tool's canonical name.
    pub tool_name: String,
    /// The idempotency key.
    pub key: String,
    /// The number that [`started`](super::ToolEffectLedger::started) gave: who doesn't hold the newest claim can't settle.
    pub claim: u64,
    /// How it ended.
    pub status: ToolEffectStatus,
    /// What came of it, without redacted values.
    pub answer: Option<RecordedAnswer>,
    /// How often the tool was begun under this claim; at least 1.
    pub attempts: u32,
}
