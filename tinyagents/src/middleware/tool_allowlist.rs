//! A fixed list of the tools that may be used.

use std::collections::BTreeSet;

use super::gate::{Candidate, Gate, is_bridge};
use crate::context::RunContext;

/// Allows the tools of a list: others are neither shown nor run. An empty list allows none.
///
/// Tools of the list that have to be searched for are found and called without the two tools of discovery being in it.
///
/// ```
/// use tinyagents::AgentHarness;
/// use tinyagents::middleware::ToolAllowlistMiddleware;
///
/// let mut harness: AgentHarness<()> = AgentHarness::new();
/// harness.with_middleware(ToolAllowlistMiddleware::new(["search", "read_page"]));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolAllowlistMiddleware {
    allowed: BTreeSet<String>,
}

impl ToolAllowlistMiddleware {
    /// Allows these tools, by canonical name.
    pub fn new<N: Into<String>>(allowed: impl IntoIterator<Item = N>) -> Self {
        Self {
            allowed: allowed.into_iter().map(Into::into).collect(),
        }
    }
}

impl Gate for ToolAllowlistMiddleware {
    fn refusal(&self, _: &RunContext, tool: &Candidate<'_>) -> Option<String> {
        let is_allowed = self.allowed.contains(tool.name) || is_bridge(tool.name);
        (!is_allowed).then(|| "it is not on the list of allowed tools".to_owned())
    }
}
