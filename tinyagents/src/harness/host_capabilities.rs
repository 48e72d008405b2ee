//! What a host can do and wants enforced at its boundary.

/// What a host wants enforced for the runs that it starts for an agent's definition.
///
/// ```
/// use tinyagents::HostCapabilities;
///
/// assert!(HostCapabilities::default().fail_closed_tool_allowlist);
/// assert!(!HostCapabilities::default().with_legacy_unrestricted_tool_allowlist().fail_closed_tool_allowlist);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostCapabilities {
    /// Whether an [`AgentDefinition`](crate::AgentDefinition) without tools denies every tool. A run without a definition
    /// is not concerned. Default: `true`.
    pub fail_closed_tool_allowlist: bool,
}

impl HostCapabilities {
    /// Lets a definition without tools use every tool, as hosts did that knew no lists.
    #[must_use]
    pub fn with_legacy_unrestricted_tool_allowlist(mut self) -> Self {
        self.fail_closed_tool_allowlist = false;
        self
    }
}

impl Default for HostCapabilities {
    fn default() -> Self {
        Self {
            fail_closed_tool_allowlist: true,
        }
    }
}
