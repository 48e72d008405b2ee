//! What of a turn is not shown, and why.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Turn;
use crate::context::RunContext;
use crate::events::AgentEvent;
use crate::model::ToolSchema;

impl Turn {
    /// The same turn without the tools that the run's definition doesn't list.
    pub(crate) fn for_definition(self, ctx: &RunContext) -> Self {
        if !ctx.has_definition() {
            return self;
        }
        let capabilities = self.capabilities;
        self.without(ctx, |tool_name| {
            let definition = ctx.definition_without(tool_name, capabilities)?;
            Some(definition.refusal())
        })
    }

    /// The same turn without the tools that a middleware hides; for a host whose loop calls no `before_model`.
    pub(super) fn for_middleware(self, ctx: &RunContext) -> Self {
        if self.middleware.is_empty() {
            return self;
        }
        let middleware = Arc::clone(&self.middleware);
        let ctx = ctx.clone().with_catalogue(&self.catalogue);
        self.without(&ctx, |tool_name| middleware.hides(&ctx, tool_name))
    }

    /// The same turn without the tools there is a reason against; the reasons are told.
    fn without(self, ctx: &RunContext, reason: impl Fn(&str) -> Option<String>) -> Self {
        let mut hidden = BTreeMap::new();
        let mut shown = Vec::with_capacity(self.schemas.len());
        for schema in self.schemas.iter() {
            match reason(&schema.name) {
                None => shown.push(schema),
                Some(reason) => {
                    hidden.insert(schema.name.clone(), reason);
                }
            }
        }
        if hidden.is_empty() {
            return self;
        }
        let shown: Arc<[ToolSchema]> = shown.into_iter().cloned().collect();
        ctx.emit_with(|| AgentEvent::ToolsFiltered { tools: hidden });
        self.narrowed_to(shown)
    }
}
