//! The agent loop: a model, a dispatcher, and the turns between them.

mod agent_harness;
mod agent_run;
mod answer;
mod host_capabilities;
mod inline;
mod invocation;
mod parts;
mod paused_turn;
mod request;
mod run_limits;
mod run_loop;
mod run_policy;
mod trace;
mod turn;
mod unanswered;
mod wrapped;

pub use agent_harness::AgentHarness;
pub use agent_run::{AgentRun, LimitKind, StopReason, ToolResultMetadata};
pub use host_capabilities::HostCapabilities;
pub use run_limits::RunLimits;
pub use run_policy::{
    ArgumentCoercion, InvalidArgsPolicy, NotAllowedPolicy, RunPolicy, UnknownToolPolicy,
};
