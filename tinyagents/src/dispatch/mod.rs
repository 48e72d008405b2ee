//! Running admitted calls and answering every one of them.

mod admit;
mod announce;
mod answered;
mod assembly;
mod at_once;
mod attempt;
mod batch;
mod blocking;
mod bounds;
mod dispatcher;
mod execute;
mod execution;
mod exposure;
mod failure;
mod follow_up;
mod ids;
mod interruption;
mod limits;
mod machine_paths;
mod measured;
mod neighbours;
mod not_rerun;
mod outcome;
mod results;
mod resume;
mod retry;
mod run_batch;
mod session;
#[cfg(feature = "mcp")]
mod session_calls;
mod settle;
mod slot;
mod structured;
mod trace;
mod turn;
mod wrapped;

pub use batch::Batch;
pub use dispatcher::Dispatcher;
pub use turn::Turn;

pub(crate) use blocking::BlockingPlaces;
#[cfg(feature = "mcp")]
pub(crate) use failure::Interrupted;
#[cfg(feature = "testkit")]
pub(crate) use failure::is_injection;
pub(crate) use interruption::{interrupted, interruption};
pub(crate) use limits::RunMeter;
#[cfg(feature = "mcp")]
pub(crate) use session::SessionGate;
