//! What a middleware makes of a pending tool call.

use serde_json::Value;
use tinytools::ToolResult;

/// What [`before_tool`](super::Middleware::before_tool) makes of a pending call.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum ToolDecision {
    /// It goes on, perhaps with another name or other arguments; both are checked again.
    #[default]
    Proceed,
    /// It is answered with this result and doesn't run.
    Answer(ToolResult),
    /// It is forbidden; the text is for the model.
    Reject(String),
    /// It waits for a person's approval.
    RequireApproval {
        /// What the approver should know; host only.
        metadata: Value,
    },
    /// Its answer comes from elsewhere, later.
    Defer {
        /// What the host should know; host only.
        metadata: Value,
    },
}
