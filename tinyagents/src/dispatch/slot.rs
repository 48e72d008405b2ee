//! A call of a batch on its way, and what is left of it.

use tinytools::{ToolContent, ToolErrorClass, ToolResult};

use crate::admission::{Departure, Pending};
use crate::deferred::{Deferral, PendingCall};
use crate::error::TinyAgentsError;
use crate::harness::{LimitKind, StopReason, ToolResultMetadata};
use crate::model::ToolMessage;
use crate::registry::RegisteredTool;

/// What becomes of a call of the batch. Two words, as what admission says.
pub(super) enum Slot<'a> {
    /// It runs, by this tool.
    Ready(&'a RegisteredTool),
    /// It is answered without running; middlewares see the answer.
    Answered(Box<ToolResult>),
    /// A person has refused it: answered without running, and no failure.
    Denied(Box<ToolResult>),
    /// It is answered without having been looked at: a limit, a repeated id, an interrupted run.
    Refused(Box<Refusal>),
    /// It leaves the loop.
    Deferred(Box<Departure<'a>>),
}

/// What the model reads of a call that nobody has looked at.
pub(super) struct Refusal {
    pub(super) text: String,
}

impl Slot<'_> {
    pub(super) fn refused(text: impl Into<String>) -> Self {
        let text = text.into();
        Self::Refused(Box::new(Refusal { text }))
    }

    /// Whether this call may be brought to its end beside its neighbours.
    pub(super) fn is_concurrency_safe(&self, pending: &Pending<'_>) -> bool {
        match self {
            Self::Ready(_) => pending.facts.is_concurrency_safe,
            Self::Answered(_) | Self::Denied(_) | Self::Refused(_) | Self::Deferred(_) => true,
        }
    }
}

/// What is left of a call.
#[derive(Default)]
pub(super) struct Settled<'a> {
    pub(super) row: Option<ToolMessage>,
    /// The row tells that nobody looked at the call; it says nothing of what the model asked for.
    pub(super) is_refused: bool,
    pub(super) follow_up: Vec<ToolContent>,
    pub(super) metadata: Option<Box<ToolResultMetadata>>,
    /// The row's content ends the run.
    pub(super) return_direct: bool,
    /// The tool that ran.
    pub(super) executed: Option<&'a RegisteredTool>,
    pub(super) deferred: Option<Box<Waiting>>,
    pub(super) stop: Option<StopReason>,
    /// How the failure that the row tells of is treated.
    pub(super) class: Option<ToolErrorClass>,
    /// The run fails for it.
    pub(super) failed: Option<Box<TinyAgentsError>>,
}

/// A call that has left the loop.
pub(super) struct Waiting {
    pub(super) pending: PendingCall,
    pub(super) deferral: Deferral,
}

pub(super) fn run_failed<'a>() -> Slot<'a> {
    Slot::refused("not run: the run failed")
}

pub(super) fn limited<'a>(limit: LimitKind, stop: &mut Option<StopReason>) -> Slot<'a> {
    let stop = stop.get_or_insert(StopReason::Limit(limit));
    Slot::refused(not_run(stop))
}

/// What the model reads of a call that the end of the run came before.
pub(super) fn not_run(stop: &StopReason) -> String {
    let reason = match stop {
        StopReason::Cancelled => "the run was cancelled",
        StopReason::Deadline => "the time of the run is over",
        StopReason::Limit(_) => "limit",
        _ => "the run ended",
    };
    format!("not run: {reason}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_fits_into_two_registers() {
        assert_eq!(size_of::<Slot<'_>>(), 16);
        assert_eq!(size_of::<Option<Slot<'_>>>(), 16);
        assert_eq!(size_of::<Result<Slot<'_>, Box<TinyAgentsError>>>(), 16);
    }
}
