//! Events through a channel.

use tokio::sync::mpsc;

use super::{AgentEvent, EventSink, RunEvent};
use crate::context::RunId;

/// Sends every event through a channel, so that another task can follow the run.
///
/// The channel has no bound, since a run must not wait for its audience: keep receiving. Once the receiver is gone,
/// events are dropped.
#[derive(Clone, Debug)]
pub struct EventChannel {
    sender: mpsc::UnboundedSender<RunEvent>,
}

impl EventChannel {
    /// A sink, and the end where its events come out.
    #[must_use]
    pub fn new() -> (Self, mpsc::UnboundedReceiver<RunEvent>) {
        let (sender, receiver) = mpsc::unbounded_channel();
        (Self { sender }, receiver)
    }
}

impl EventSink for EventChannel {
    fn emit(&self, run_id: &RunId, event: AgentEvent) {
        let run_id = run_id.clone();
        // Nobody listens any more, and that is no affair of the run.
        drop(self.sender.send(RunEvent { run_id, event }));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn event() -> AgentEvent {
        AgentEvent::ToolStarted {
            call_id: "c1".into(),
            tool_name: "t".into(),
        }
    }

    #[test]
    fn events_come_out_with_their_run() {
        let (sink, mut receiver) = EventChannel::new();
        sink.emit(&RunId::from("r1"), event());
        let come = receiver.try_recv().unwrap();
        let wire =
            json!({ "run_id": "r1", "type": "tool.started", "call_id": "c1", "tool_name": "t" });
        assert_eq!(serde_json::to_value(&come).unwrap(), wire);
        assert_eq!(serde_json::from_value::<RunEvent>(wire).unwrap(), come);
    }

    #[test]
    fn a_receiver_that_is_gone_is_no_failure() {
        let (sink, receiver) = EventChannel::new();
        drop(receiver);
        sink.emit(&RunId::from("r1"), event());
    }
}
