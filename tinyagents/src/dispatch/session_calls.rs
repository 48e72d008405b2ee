//! What a server of sessions needs of a dispatcher and its turns.

use std::collections::HashSet;
use std::sync::Arc;

use tokio::sync::Semaphore;

use super::session::SessionGate;
use crate::context::RunContext;
use crate::deferred::{Coverage, DeferredToolRequests, DeferredToolResults, resolve};
use crate::dispatch::{Batch, Dispatcher, Turn};
use crate::error::TinyAgentsError;
use crate::harness::RunPolicy;
use crate::model::ToolSchema;

impl SessionGate {
    pub(crate) fn new(policy: &RunPolicy) -> Self {
        let all = u32::try_from(policy.max_concurrent_tools.max(1)).unwrap_or(u32::MAX);
        let all = all.min(u32::try_from(Semaphore::MAX_PERMITS).unwrap_or(u32::MAX));
        Self {
            places: Semaphore::new(all as usize),
            all,
        }
    }
}

impl Dispatcher {
    /// A turn for one call of the session, whose rows are read by the block.
    pub(crate) async fn turn_of(
        &self,
        session: &Arc<SessionGate>,
        ctx: &RunContext,
    ) -> Result<Turn, TinyAgentsError> {
        let turn = self.turn(ctx).await?;
        Ok(turn.with_session(Arc::clone(session)))
    }

    /// Whether a later turn may advertise other tools than an earlier one.
    pub(crate) fn may_vary(&self) -> bool {
        let is_fixed = self.sources.is_empty()
            && self.middleware.is_empty()
            && self.catalogue.deferred().is_empty();
        !is_fixed
    }

    /// The declaration of a registered tool, without those of toolsets.
    pub(crate) fn registered_schema(&self, name: &str) -> Option<&ToolSchema> {
        let tool = self.catalogue.get(name)?;
        Some(tool.shown_schema())
    }

    /// How the tools should be used, as their groups and the sets of this run say it.
    pub(crate) async fn instructions(
        &self,
        ctx: &RunContext,
    ) -> Result<Vec<String>, TinyAgentsError> {
        let mut instructions = self.catalogue.instructions().to_vec();
        instructions.extend(self.sources.instructions(ctx).await?);
        Ok(instructions)
    }
}

impl Turn {
    /// Brings deferred calls to their end, in this turn; otherwise as [`Dispatcher::resume`].
    pub(crate) async fn resume(
        &self,
        ctx: &RunContext,
        requests: &DeferredToolRequests,
        results: DeferredToolResults,
    ) -> Result<Batch, TinyAgentsError> {
        let resolved = resolve(requests, &HashSet::new(), results, Coverage::All)?;
        let ctx = ctx
            .clone()
            .hosted(self.capabilities, &self.middleware, &self.catalogue);
        self.check_injections(&ctx)?;
        let mut batch = Batch::default();
        self.run_resolved(&ctx, resolved, &mut batch).await?;
        Ok(batch)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::dispatch::ids::MadeId;
    use crate::model::ToolCall;
    use crate::registry::ToolRegistry;

    #[tokio::test]
    async fn a_session_does_not_remember_the_ids_of_all_its_calls() {
        let dispatcher = Dispatcher::new(ToolRegistry::new());
        let ctx = RunContext::new();
        let session = Arc::new(SessionGate::new(&RunPolicy::default()));
        let turn = dispatcher.turn_of(&session, &ctx).await.unwrap();
        let call = ToolCall::new("callOfOne", "any", json!({}));
        turn.dispatch(&(), &ctx, vec![call]).await.unwrap();
        assert_eq!(ctx.meter().tool_calls(), 1);
        assert!(ctx.meter().note_new_id(MadeId::of("callOfOne").unwrap()));
    }
}
