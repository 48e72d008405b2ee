//! Why a server can't be used.

use std::time::Duration;

use crate::error::TinyAgentsError;

/// Why the tools of an MCP server can't be had. It is for the host: a model is told only that the server is not available.
///
/// What a server or the system says is in it, clipped, and without the address's secrets and the headers that were set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum McpError {
    /// It could not be started, reached or greeted.
    #[error("the MCP server `{server}` could not be reached: {reason}")]
    Unreachable {
        /// What the host calls it.
        server: String,
        /// What went wrong.
        reason: String,
    },
    /// It had nothing to say in time.
    #[error("the MCP server `{server}` did not {what} within {limit:?}")]
    TimedOut {
        /// What the host calls it.
        server: String,
        /// What it should have done, for example `list its tools`.
        what: &'static str,
        /// The time it had.
        limit: Duration,
    },
    /// It gave no list of tools.
    #[error("the MCP server `{server}` did not list its tools: {reason}")]
    NoTools {
        /// What the host calls it.
        server: String,
        /// What it said instead.
        reason: String,
    },
    /// It has failed before, and is not tried again yet.
    #[error(
        "the MCP server `{server}` has failed {failures} times and is not tried again for {retry_after:?}"
    )]
    Waiting {
        /// What the host calls it.
        server: String,
        /// How often in a row.
        failures: u32,
        /// When it is.
        retry_after: Duration,
    },
    /// The host has closed the set, or its runtime has ended.
    #[error("the connection to the MCP server `{server}` is closed")]
    Closed {
        /// What the host calls it.
        server: String,
    },
}

impl McpError {
    /// How long to wait before another try, where that is known.
    pub(super) fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Waiting { retry_after, .. } => Some(*retry_after),
            _ => None,
        }
    }
}

impl From<McpError> for TinyAgentsError {
    fn from(error: McpError) -> Self {
        Self::Other(error.into())
    }
}
