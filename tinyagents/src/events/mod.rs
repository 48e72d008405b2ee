//! What happens in a run, as it happens.

mod agent_event;
mod channel;
mod json_lines;
mod log;
mod sink;

pub use agent_event::AgentEvent;
pub use channel::EventChannel;
pub use json_lines::JsonLines;
pub use log::EventLog;
pub use sink::{EventSink, NoEvents, RunEvent};
