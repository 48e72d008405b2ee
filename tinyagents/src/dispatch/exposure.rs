//! What of a turn is not shown, and why.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Turn;
use crate::context::RunContext;
use crate::events::AgentEvent;
use crate::registry::RegisteredTool;

impl Turn {
    /// The same turn without the tools that the run's definition doesn't list.
    pub(crate) fn for_definition(self, ctx: &RunContext) -> Self {
        if !ctx.has_definition() {
            return self;
        }
        let capabilities = self.capabilities;
        self.without(ctx, false, |tool_name| {
            let definition = ctx.definition_without(tool_name, capabilities)?;
            Some(definition.refusal())
        })
    }

    /// Lets the hooks of middlewares look at the tools of this turn.
    pub(crate) fn show_to(&self, ctx: &mut RunContext) {
        ctx.set_catalogue(&self.catalogue);
    }

    /// Positions of the deferred tools that may not be found: neither the definition nor a middleware may hide them.
    pub(super) fn hidden_deferred(&self, ctx: &RunContext) -> Vec<usize> {
        if !ctx.has_definition() && self.middleware.is_empty() {
            return Vec::new();
        }
        let ctx = ctx.clone().with_catalogue(&self.catalogue);
        let is_hidden = |tool: &RegisteredTool| {
            let name = tool.name();
            ctx.definition_without(name, self.capabilities).is_some()
                || self.middleware.hides(&ctx, name).is_some()
        };
        let tools = self.catalogue.deferred_tools().iter().enumerate();
        let hidden = tools.filter(|(_, tool)| is_hidden(tool));
        hidden.map(|(position, _)| position).collect()
    }

    /// The same turn without the tools that a middleware hides; for a host whose loop calls no `before_model`.
    pub(super) fn for_middleware(self, ctx: &RunContext) -> Self {
        if self.middleware.is_empty() {
            return self;
        }
        let middleware = Arc::clone(&self.middleware);
        let ctx = ctx.clone().with_catalogue(&self.catalogue);
        self.without(&ctx, true, |tool_name| middleware.hides(&ctx, tool_name))
    }

    /// The same turn without the tools there is a reason against; the reasons are told.
    fn without(
        self,
        ctx: &RunContext,
        hides_bridge: bool,
        reason: impl Fn(&str) -> Option<String>,
    ) -> Self {
        let mut hidden = BTreeMap::new();
        let mut positions = Vec::new();
        for (position, schema) in self.schemas.iter().enumerate() {
            // Whoever hides knows tools by their real names; the two to search with are the runtime's own.
            let tool = self.catalogue.get(&schema.name);
            let name = tool.map_or(schema.name.as_str(), |tool| tool.name());
            if let Some(reason) = reason(name).filter(|_| tool.is_some() || hides_bridge) {
                hidden.insert(name.to_owned(), reason);
                positions.push(position);
            }
        }
        if hidden.is_empty() {
            return self;
        }
        let shown = self.catalogue.without(&self.schemas, &positions);
        ctx.emit_with(|| AgentEvent::ToolsFiltered {
            tools: hidden,
            explanations: Vec::new(),
        });
        self.narrowed_to(shown)
    }
}
