//! A choice of tools by what they declare.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use super::gate::{Candidate, Gate, is_bridge};
use crate::context::RunContext;
use crate::model::ToolSchema;

type Selection = dyn Fn(&ToolSchema) -> bool + Send + Sync;

/// Chooses the tools of each turn by their declarations. What isn't chosen is neither shown nor run.
///
/// ```
/// use tinyagents::middleware::DynamicToolSelectionMiddleware;
/// use tinyagents::{AgentHarness, ToolSchema};
///
/// let mut harness: AgentHarness<()> = AgentHarness::new();
/// harness.with_middleware(DynamicToolSelectionMiddleware::new(|tool: &ToolSchema| {
///     tool.description.len() < 400
/// }));
/// ```
#[derive(Clone)]
pub struct DynamicToolSelectionMiddleware {
    selects: Arc<Selection>,
}

impl DynamicToolSelectionMiddleware {
    /// Chooses the tools for which the function says `true`. It is asked anew in every turn, and for every call; not for
    /// the two tools of discovery, which are there wherever a chosen tool has to be searched for.
    pub fn new(selects: impl Fn(&ToolSchema) -> bool + Send + Sync + 'static) -> Self {
        Self {
            selects: Arc::new(selects),
        }
    }

    /// Chooses these tools, by canonical name.
    pub fn allowing<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Self {
        let names: BTreeSet<String> = names.into_iter().map(Into::into).collect();
        Self::new(move |tool| names.contains(&tool.name))
    }
}

impl Gate for DynamicToolSelectionMiddleware {
    fn refusal(&self, ctx: &RunContext, tool: &Candidate<'_>) -> Option<String> {
        if is_bridge(tool.name) {
            return None;
        }
        // Its own declaration, where there is one: what a provider is shown may be rewritten.
        let registered = ctx.registered_tool(tool.name);
        let schema = registered
            .map(|tool| tool.schema().as_ref())
            .or(tool.schema);
        let is_selected = schema.is_some_and(|schema| (self.selects)(schema));
        (!is_selected).then(|| "it is not selected".to_owned())
    }
}

impl fmt::Debug for DynamicToolSelectionMiddleware {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DynamicToolSelectionMiddleware")
            .finish_non_exhaustive()
    }
}
