//! Where events go.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::AgentEvent;
use crate::context::RunId;

/// Where events go.
///
/// It is called where the event happens, in the run's own task: it must neither block nor panic,
/// nor emit events of its own.
pub trait EventSink: Send + Sync {
    /// Takes one event of the given run.
    fn emit(&self, run_id: &RunId, event: AgentEvent);
}

impl<T: EventSink + ?Sized> EventSink for Arc<T> {
    fn emit(&self, run_id: &RunId, event: AgentEvent) {
        (**self).emit(run_id, event);
    }
}

/// Drops every event.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoEvents;

impl EventSink for NoEvents {
    fn emit(&self, _: &RunId, _: AgentEvent) {}
}

/// An event and the run it happened in.
///
/// On the wire the event's own fields are beside `run_id`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunEvent {
    /// The run.
    pub run_id: RunId,
    /// The event.
    #[serde(flatten)]
    pub event: AgentEvent,
}
