//! The part of a context that belongs to one call.

use std::sync::Arc;

use super::{CallGate, CallId, IdempotencyKey, ProgressWatcher, RunPart};
use crate::events::AgentEvent;

/// What only one call knows.
#[derive(Clone, Debug, Default)]
pub(super) struct CallPart {
    pub(super) id: Option<CallId>,
    pub(super) tool_name: Option<Arc<str>>,
    /// The name that a model calls the tool by; several tools may really be called the same.
    pub(super) called: Option<Arc<str>>,
    pub(super) idempotency_key: Option<Arc<IdempotencyKey>>,
    pub(super) is_approved: bool,
    /// Who follows this call alone.
    pub(super) watcher: Option<ProgressWatcher>,
    /// There where somebody listens.
    pub(super) gate: Option<Arc<CallGate>>,
}

impl CallPart {
    /// Hands an event to the run's sinks, unless the call has ended.
    pub(super) fn emit(&self, run: &RunPart, event: AgentEvent) {
        match &self.gate {
            Some(gate) => gate.while_open(|| run.emit(event)),
            None => run.emit(event),
        }
    }

    pub(super) fn id_text(&self) -> Option<String> {
        self.id.as_ref().map(ToString::to_string)
    }

    pub(super) fn tool_text(&self) -> Option<String> {
        self.tool_name.as_deref().map(str::to_owned)
    }
}
