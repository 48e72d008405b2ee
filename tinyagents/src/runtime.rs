//! The names a host needs for a run, in one place.

pub use crate::discovery::{ToolDiscoveryPolicy, ToolRanker};
pub use crate::dispatch::{Batch, Dispatcher, Turn};
pub use crate::harness::{
    AgentHarness, AgentRun, ArgumentCoercion, HostCapabilities, InvalidArgsPolicy, LimitKind,
    NotAllowedPolicy, RunLimits, RunPolicy, StopReason, ToolResultMetadata, UnknownToolPolicy,
};
pub use crate::registry::{ToolGroup, ToolRegistry};
