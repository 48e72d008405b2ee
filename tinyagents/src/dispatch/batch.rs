//! What became of the calls of one assistant turn.

use std::sync::Arc;

use super::follow_up::FollowUpShare;
use crate::deferred::DeferredToolRequests;
use crate::harness::{AgentRun, StopReason, ToolResultMetadata};
use crate::model::{Message, ToolCall, ToolMessage};

/// The answers to one batch of calls: exactly one row for each that did not leave the loop.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Batch {
    /// The calls as the model made them, with their final ids; what the assistant message in the transcript must hold.
    pub calls: Vec<ToolCall>,
    /// One row per answered call, in call order.
    pub messages: Vec<ToolMessage>,
    /// What follows the rows in the transcript: at most one user message.
    pub follow_up: Vec<Message>,
    pub(crate) follow_up_shares: Vec<FollowUpShare>,
    /// Calls that wait for an answer from outside; they have no row yet.
    pub deferred: Option<DeferredToolRequests>,
    /// What tools had to say to the host alone, in call order.
    pub metadata: Vec<ToolResultMetadata>,
    /// The result that ends the run, if one does.
    pub return_direct: Option<String>,
    /// Canonical names of the tools that really ran, in call order, once per call.
    pub executed_tools: Vec<Arc<str>>,
    /// Why no further turn should follow; `None` when the model may go on.
    pub stop: Option<StopReason>,
}

/// A run of this batch alone, where no loop has kept more.
impl From<Batch> for AgentRun {
    fn from(batch: Batch) -> Self {
        let calls = Message::assistant_calls("", batch.calls);
        let rows = batch.messages.into_iter().map(Message::Tool);
        Self {
            messages: [calls]
                .into_iter()
                .chain(rows)
                .chain(batch.follow_up)
                .collect(),
            executed_tools: batch
                .executed_tools
                .iter()
                .map(ToString::to_string)
                .collect(),
            tool_metadata: batch.metadata,
            deferred: batch.deferred,
            ..Self::default()
        }
    }
}
