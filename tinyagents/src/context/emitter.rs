//! A tool's own events.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use super::{CallPart, RunPart};
use crate::events::AgentEvent;

/// Tells the host of things only this tool knows; a tool takes it as a hidden `&EventEmitter`.
#[derive(Clone)]
pub struct EventEmitter {
    pub(super) run: Arc<RunPart>,
    pub(super) call: CallPart,
}

impl EventEmitter {
    /// Emits an [`AgentEvent::Custom`].
    pub fn custom(&self, data: Value) {
        let event = AgentEvent::Custom {
            call_id: self.call.id_text(),
            tool_name: self.call.tool_text(),
            data,
        };
        self.call.emit(&self.run, event);
    }
}

impl fmt::Debug for EventEmitter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventEmitter")
            .field("run_id", &self.run.run_id)
            .field("call_id", &self.call.origin)
            .finish_non_exhaustive()
    }
}
