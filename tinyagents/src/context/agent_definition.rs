//! The agent that a run belongs to, and the tools that agent may use.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// The agent that a run belongs to, as its host has defined it.
///
/// ```
/// use tinyagents::AgentDefinition;
///
/// let reader = AgentDefinition::new("reader").with_tools(["search", "read_page"]);
/// assert_eq!(reader.tools.len(), 2);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AgentDefinition {
    /// The agent's name, for the host's messages and as `gen_ai.agent.name` in `tracing` spans.
    pub name: String,
    /// Canonical names of the tools it may use. Default: none, which denies every tool unless the
    /// [`HostCapabilities`](crate::HostCapabilities) say otherwise.
    pub tools: Vec<String>,
}

impl AgentDefinition {
    /// An agent of that name that states no tools.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            tools: Vec::new(),
        }
    }

    /// States the tools it may use, by canonical name; replaces those stated before.
    #[must_use]
    pub fn with_tools<N: Into<String>>(mut self, tools: impl IntoIterator<Item = N>) -> Self {
        self.tools = tools.into_iter().map(Into::into).collect();
        self
    }

    /// Why a tool that is not in the list is refused.
    pub(crate) fn refusal(&self) -> String {
        format!("agent `{}` has no such tool in its list", self.name)
    }
}

/// A definition in a context, with what its host says of one without tools.
#[derive(Clone, Debug)]
pub(super) struct HeldDefinition {
    pub(super) definition: Arc<AgentDefinition>,
    /// Whether a definition without tools denies all; `None` until a run of some host has begun with it.
    pub(super) is_fail_closed: Option<bool>,
}

impl HeldDefinition {
    /// Whether the agent may use the tool. `is_fail_closed` stands in until a host has spoken.
    pub(super) fn allows(&self, tool_name: &str, is_fail_closed: bool) -> bool {
        let tools = &self.definition.tools;
        if tools.is_empty() {
            return !self.is_fail_closed.unwrap_or(is_fail_closed);
        }
        tools.iter().any(|own| own == tool_name)
    }
}
