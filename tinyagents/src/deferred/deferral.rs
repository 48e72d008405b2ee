//! Why a call leaves the loop.

use serde_json::Value;

/// Why a call leaves the loop, and what the host should know of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Deferral {
    /// A person has to approve it; else its answer comes from elsewhere.
    pub(crate) needs_approval: bool,
    /// What a tool or a middleware had to say; host only.
    pub(crate) metadata: Option<Value>,
}

impl Deferral {
    /// Somebody asked for approval.
    pub(crate) fn approval(metadata: Value) -> Self {
        Self {
            needs_approval: true,
            metadata: Some(metadata),
        }
    }

    /// Somebody said that the answer comes from elsewhere.
    pub(crate) fn elsewhere(metadata: Value) -> Self {
        Self {
            needs_approval: false,
            metadata: Some(metadata),
        }
    }

    /// The reason, as in [`ToolDeferred`](crate::events::AgentEvent::ToolDeferred).
    pub(crate) fn reason(&self) -> &'static str {
        if self.needs_approval {
            "approval_required"
        } else {
            "call_deferred"
        }
    }
}
