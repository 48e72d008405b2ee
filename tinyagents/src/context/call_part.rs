//! The part of a context that belongs to one call.

use std::fmt;
use std::sync::Arc;

use super::{CallGate, CallId, IdempotencyKey, ProgressWatcher, RunPart};
use crate::events::AgentEvent;
use crate::model::ToolCall;

/// What only one call knows.
#[derive(Clone, Debug, Default)]
pub(super) struct CallPart {
    pub(super) origin: Option<CallOrigin>,
    pub(super) tool_name: Option<ToolName>,
    /// The name that a model calls the tool by; several tools may really be called the same. Known where a middleware may
    /// ask for it.
    pub(super) called: Option<Arc<str>>,
    pub(super) idempotency_key: Option<IdempotencyKey>,
    pub(super) is_approved: bool,
    /// Who follows this call alone.
    pub(super) watcher: Option<ProgressWatcher>,
    /// There where somebody listens.
    pub(super) gate: Option<Arc<CallGate>>,
}

/// The canonical name of a call's tool.
#[derive(Clone, Debug)]
pub(super) enum ToolName {
    /// The name that the model wrote, as most calls have it; it is in the batch already.
    AsMade,
    /// Another one.
    Other(Arc<str>),
}

/// Where a call comes from.
#[derive(Clone)]
pub(super) enum CallOrigin {
    /// Somebody has named it.
    Named(CallId),
    /// A model has made it; this is its batch, and its place there. The batch is shared, so that what a context may be asked
    /// for needs no copy.
    Made(Arc<Vec<ToolCall>>, usize),
}

impl CallPart {
    pub(super) fn id(&self) -> Option<&str> {
        Some(match self.origin.as_ref()? {
            CallOrigin::Named(id) => id.as_str(),
            CallOrigin::Made(batch, position) => &batch[*position].id,
        })
    }

    /// The call as a model has made it.
    pub(super) fn made(&self) -> Option<&ToolCall> {
        match self.origin.as_ref()? {
            CallOrigin::Named(_) => None,
            CallOrigin::Made(batch, position) => batch.get(*position),
        }
    }

    /// The canonical name of its tool, once that is known.
    pub(super) fn tool_name(&self) -> Option<&str> {
        match self.tool_name.as_ref()? {
            ToolName::AsMade => Some(&self.made()?.name),
            ToolName::Other(name) => Some(name),
        }
    }

    /// Sets the canonical name of its tool.
    pub(super) fn set_tool_name(&mut self, name: &Arc<str>) {
        let is_as_made = self.made().is_some_and(|made| *made.name == **name);
        self.tool_name = Some(if is_as_made {
            ToolName::AsMade
        } else {
            ToolName::Other(Arc::clone(name))
        });
    }

    /// Hands an event to the run's sinks, unless the call has ended.
    pub(super) fn emit(&self, run: &RunPart, event: AgentEvent) {
        match &self.gate {
            Some(gate) => gate.while_open(|| run.emit(event)),
            None => run.emit(event),
        }
    }

    pub(super) fn id_text(&self) -> Option<String> {
        self.id().map(str::to_owned)
    }

    pub(super) fn tool_text(&self) -> Option<String> {
        self.tool_name().map(str::to_owned)
    }
}

impl fmt::Debug for CallOrigin {
    /// Without the arguments: some may be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named(id) => id.fmt(f),
            Self::Made(batch, position) => {
                f.debug_tuple("CallId").field(&batch[*position].id).finish()
            }
        }
    }
}
