//! Progress and partial output of a call.

use std::fmt;

use tinytools::ToolProgress;

use super::EventEmitter;
use crate::events::AgentEvent;

/// Tells the host how far a call is, and hands out parts of its answer early; a tool takes it as a hidden
/// `&StreamWriter`.
///
/// The model reads the result alone; what is written here is for people who watch.
#[derive(Clone)]
pub struct StreamWriter {
    pub(super) emitter: EventEmitter,
}

impl StreamWriter {
    /// Says how far the call is.
    pub fn progress(&self, progress: ToolProgress) {
        self.emit(progress, None);
    }

    /// Hands out the next part of the answer.
    pub fn write(&self, text: impl Into<String>) {
        self.emit(ToolProgress::default(), Some(text.into()));
    }

    fn emit(&self, progress: ToolProgress, partial_output: Option<String>) {
        let EventEmitter { run, call } = &self.emitter;
        if let Some(watcher) = &call.watcher {
            watcher.0.progress(&progress, partial_output.as_deref());
        }
        let event = AgentEvent::ToolProgress {
            call_id: call.id_text().unwrap_or_default(),
            tool_name: call.tool_text().unwrap_or_default(),
            progress,
            partial_output,
        };
        call.emit(run, event);
    }
}

impl fmt::Debug for StreamWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamWriter")
            .field("call_id", &self.emitter.call.origin)
            .finish_non_exhaustive()
    }
}
