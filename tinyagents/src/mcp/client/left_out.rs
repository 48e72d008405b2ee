//! Tools of a server that are not shown.

use std::fmt;

use crate::clip::clip_bytes;

/// A tool of the server that is not shown, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct McpLeftOut {
    /// The server's name for it, clipped.
    pub tool: String,
    /// What is wrong with it.
    pub reason: String,
}

/// Longest text of the server's in a message of ours.
const MAX_TEXT: usize = 300;

impl McpLeftOut {
    pub(super) fn new(tool: &str, reason: impl fmt::Display) -> Self {
        Self {
            tool: clip_bytes(tool, MAX_TEXT),
            reason: clip_bytes(&reason.to_string(), MAX_TEXT),
        }
    }
}

impl fmt::Display for McpLeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is left out: {}", self.tool, self.reason)
    }
}
