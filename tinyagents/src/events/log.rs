//! Events in memory.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{AgentEvent, EventSink};
use crate::context::RunId;

/// Keeps every event in memory; clones share what they keep.
///
/// ```
/// use tinyagents::{EventLog, RunContext};
///
/// let log = EventLog::new();
/// let ctx = RunContext::new().with_events(log.clone());
/// ctx.custom(serde_json::json!({ "stage": 1 }));
/// assert_eq!(log.events().len(), 1);
/// ```
#[derive(Clone, Debug, Default)]
pub struct EventLog {
    events: Arc<Mutex<Vec<AgentEvent>>>,
}

impl EventLog {
    /// A log without events.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The events so far, in order.
    #[must_use]
    pub fn events(&self) -> Vec<AgentEvent> {
        self.lock().clone()
    }

    /// Forgets the events so far.
    pub fn clear(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> MutexGuard<'_, Vec<AgentEvent>> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EventSink for EventLog {
    fn emit(&self, _: &RunId, event: AgentEvent) {
        self.lock().push(event);
    }
}
