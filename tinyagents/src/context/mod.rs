//! Everything scoped to one run, and what a tool may take from it.

mod agent_definition;
mod budget;
mod builder;
mod call_context;
mod call_gate;
mod call_part;
mod emitter;
mod handles;
mod idempotency_key;
mod ids;
mod in_dispatch;
mod portable;
mod progress_watcher;
mod run_clock;
mod run_context;
mod run_part;
mod run_scope;
mod run_state;
mod stream_writer;
mod values;
mod workspace;

#[cfg(test)]
mod tests;

pub use agent_definition::AgentDefinition;
pub use budget::Budget;
pub(crate) use call_context::CallContext;
pub use emitter::EventEmitter;
pub(crate) use idempotency_key::IdempotencyKey;
pub use ids::{CallId, RunId, ThreadId};
#[cfg(feature = "mcp")]
pub(crate) use progress_watcher::WatchProgress;
pub use run_context::{RunContext, ToolExecutionContext};
pub(crate) use run_scope::RunScope;
pub use stream_writer::StreamWriter;

use call_gate::CallGate;
use call_part::{CallOrigin, CallPart};
use handles::Handles;
use progress_watcher::ProgressWatcher;
use run_clock::RunClock;
use run_part::RunPart;
use run_state::RunState;
use values::Values;
