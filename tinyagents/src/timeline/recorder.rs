//! Times of what happens in a run, while it happens.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

use crate::events::AgentEvent;
use crate::model::ToolCall;

/// Notes when the calls of one run begin, end and are treated in between. It keeps names, arguments
/// and times.
///
/// The lock is held for the length of one method, never across an await.
#[derive(Debug)]
pub(crate) struct Recorder {
    origin: Instant,
    marks: Mutex<Vec<Mark>>,
}

/// One moment of one call.
#[derive(Debug)]
pub(super) struct Mark {
    pub(super) at: Duration,
    pub(super) call_id: String,
    pub(super) moment: Moment,
}

/// What happened to a call.
#[derive(Debug)]
pub(super) enum Moment {
    Started { tool_name: String, arguments: Value },
    Ended,
    Deferred { reason: String },
    Approved,
    Denied,
    Retried { attempt: u32, delay_ms: u64 },
    Recovered { how: String },
}

impl Mark {
    /// The tool and the arguments of a call that begins here.
    pub(super) fn started(&self) -> Option<(&str, &Value)> {
        match &self.moment {
            Moment::Started {
                tool_name,
                arguments,
            } => Some((tool_name, arguments)),
            _ => None,
        }
    }
}

impl Recorder {
    /// The time begins now.
    pub(crate) fn start() -> Self {
        Self {
            origin: Instant::now(),
            marks: Mutex::default(),
        }
    }

    /// Time since the beginning.
    pub(crate) fn now(&self) -> Duration {
        self.origin.elapsed()
    }

    /// Notes that a call begins, as it now is: what the model sent may have been mended and changed.
    pub(crate) fn begin_call(&self, call: &ToolCall) {
        let tool_name = call.name.clone();
        let arguments = call.arguments.clone();
        self.add(
            &call.id,
            Moment::Started {
                tool_name,
                arguments,
            },
        );
    }

    /// Notes an event, if it is one of a call's moments.
    pub(crate) fn note(&self, event: &AgentEvent) {
        let (call_id, moment) = match event {
            AgentEvent::ToolCompleted { call_id, .. } | AgentEvent::ToolFailed { call_id, .. } => {
                (call_id, Moment::Ended)
            }
            AgentEvent::ToolDeferred { call_id, reason } => {
                let reason = reason.clone();
                (call_id, Moment::Deferred { reason })
            }
            AgentEvent::ToolApproved { call_id, .. } => (call_id, Moment::Approved),
            AgentEvent::ToolDenied { call_id, .. } => (call_id, Moment::Denied),
            AgentEvent::ToolRetried {
                call_id,
                attempt,
                delay_ms,
                ..
            } => {
                let (attempt, delay_ms) = (*attempt, *delay_ms);
                (call_id, Moment::Retried { attempt, delay_ms })
            }
            AgentEvent::UnknownToolCall {
                call_id, recovery, ..
            } => {
                let how = format!("unknown tool: {recovery}");
                (call_id, Moment::Recovered { how })
            }
            AgentEvent::InvalidToolArgs {
                call_id, recovery, ..
            } => {
                let how = format!("invalid arguments: {recovery}");
                (call_id, Moment::Recovered { how })
            }
            AgentEvent::ForgedHiddenArgument {
                call_id, parameter, ..
            } => {
                let how = format!("forged argument `{parameter}` dropped");
                (call_id, Moment::Recovered { how })
            }
            AgentEvent::ToolEffectReconciled {
                call_id, outcome, ..
            } => {
                let how = format!("effect ledger: {outcome}");
                (call_id, Moment::Recovered { how })
            }
            AgentEvent::ToolNotAllowed { call_id, .. } => {
                let how = "not allowed".to_owned();
                (call_id, Moment::Recovered { how })
            }
            _ => return,
        };
        self.add(call_id, moment);
    }

    fn add(&self, call_id: &str, moment: Moment) {
        let mark = Mark {
            at: self.now(),
            call_id: call_id.to_owned(),
            moment,
        };
        let mut marks = self.marks.lock().unwrap_or_else(PoisonError::into_inner);
        marks.push(mark);
    }

    /// What was noted since the last time, in order.
    pub(super) fn take(&self) -> Vec<Mark> {
        let mut marks = self.marks.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut marks)
    }
}
