//! A choice of tools by lists and by the run.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use super::gate::{Candidate, Gate, is_bridge};
use crate::context::RunContext;

type Selection = dyn Fn(&RunContext, &str) -> bool + Send + Sync;

/// Chooses tools by what is known of the run, or by lists that a child's lists can only narrow. What isn't chosen is
/// neither shown nor run.
///
/// ```
/// use tinyagents::AgentHarness;
/// use tinyagents::middleware::ContextualToolSelectionMiddleware;
///
/// let mut child: AgentHarness<()> = AgentHarness::new();
/// // The parent may search and pay, but not delete; the child asks for more and gets `search`.
/// child.with_middleware(ContextualToolSelectionMiddleware::inheriting(
///     Some(["search", "pay"]),
///     ["delete"],
///     Some(["search", "delete", "deploy"]),
///     ["pay"],
/// ));
/// ```
#[derive(Clone)]
pub struct ContextualToolSelectionMiddleware {
    lists: Vec<Lists>,
    selects: Option<Arc<Selection>>,
}

#[derive(Clone, Debug)]
struct Lists {
    /// Where there is such a list, a tool must be in it.
    allowed: Option<BTreeSet<String>>,
    denied: BTreeSet<String>,
}

impl Lists {
    fn new<A, D>(allowed: Option<A>, denied: D) -> Self
    where
        A: IntoIterator<Item: Into<String>>,
        D: IntoIterator<Item: Into<String>>,
    {
        let names = |names: A| names.into_iter().map(Into::into).collect();
        Self {
            allowed: allowed.map(names),
            denied: denied.into_iter().map(Into::into).collect(),
        }
    }

    fn allows(&self, name: &str) -> bool {
        let allowed = self.allowed.as_ref();
        let is_allowed = allowed.is_none_or(|allowed| allowed.contains(name)) || is_bridge(name);
        is_allowed && !self.denied.contains(name)
    }
}

impl ContextualToolSelectionMiddleware {
    /// Chooses the tools, by canonical name, for which the function says `true` in a run. It is asked anew in every turn,
    /// and for every call.
    pub fn new(selects: impl Fn(&RunContext, &str) -> bool + Send + Sync + 'static) -> Self {
        Self {
            lists: Vec::new(),
            selects: Some(Arc::new(selects)),
        }
    }

    /// Chooses the allowed tools without the denied ones; without a list of allowed tools all but the denied. An empty
    /// list allows none. The two tools of discovery are allowed wherever a tool is that has to be searched for, unless they
    /// are denied.
    pub fn from_lists<A, D>(allowed: Option<A>, denied: D) -> Self
    where
        A: IntoIterator<Item: Into<String>>,
        D: IntoIterator<Item: Into<String>>,
    {
        Self {
            lists: vec![Lists::new(allowed, denied)],
            selects: None,
        }
    }

    /// Chooses for a child what its own lists and its parent's allow both, and neither denies.
    pub fn inheriting<PA, PD, CA, CD>(
        parent_allowed: Option<PA>,
        parent_denied: PD,
        child_allowed: Option<CA>,
        child_denied: CD,
    ) -> Self
    where
        PA: IntoIterator<Item: Into<String>>,
        PD: IntoIterator<Item: Into<String>>,
        CA: IntoIterator<Item: Into<String>>,
        CD: IntoIterator<Item: Into<String>>,
    {
        Self {
            lists: vec![
                Lists::new(parent_allowed, parent_denied),
                Lists::new(child_allowed, child_denied),
            ],
            selects: None,
        }
    }
}

impl Gate for ContextualToolSelectionMiddleware {
    fn refusal(&self, ctx: &RunContext, tool: &Candidate<'_>) -> Option<String> {
        let is_listed = self.lists.iter().all(|lists| lists.allows(tool.name));
        let selects = self.selects.as_ref();
        let is_selected = is_listed && selects.is_none_or(|selects| selects(ctx, tool.name));
        (!is_selected).then(|| "it is not selected for this run".to_owned())
    }
}

impl fmt::Debug for ContextualToolSelectionMiddleware {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ContextualToolSelectionMiddleware")
            .field("lists", &self.lists)
            .finish_non_exhaustive()
    }
}
