//! Where a tool may be used and how it is shown.

use serde::{Deserialize, Serialize};

/// Who may use a tool. The default is the widest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ToolScope {
    /// Agents, command lines and remote procedure calls.
    #[default]
    All,
    /// Only a model's own calls.
    AgentOnly,
    /// Only a command line or a remote procedure call, never a model.
    CliRpcOnly,
}

/// Which belt of the host a tool hangs on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ToolCategory {
    /// A building block of the host.
    #[default]
    System,
    /// A step of a user's workflow.
    Workflow,
}

/// How a model gets to know of a tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ToolExposure {
    /// Its schema is part of the first request.
    #[default]
    Direct,
    /// It is found by a search, and its schema sent from then on.
    Deferred,
    /// Only the host can call it; to a model it is unknown.
    Hidden,
}
