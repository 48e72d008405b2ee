//! The start of an effect.

use tinytools::ToolReplay;

use crate::context::{CallId, RunId};

/// A call that is about to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolEffectStart {
    /// The run it belongs to.
    pub run_id: RunId,
    /// The call's id, unique within its turn.
    pub call_id: CallId,
    /// The tool's canonical name.
    pub tool_name: String,
    /// The idempotency key; one row per tool and key.
    pub key: String,
    /// SHA-256 over the call as the model made it, by which a transcript's call is told from another one of the same id.
    pub request_hash: String,
    /// Whether the tool may run again after an interruption.
    pub replay: ToolReplay,
}
