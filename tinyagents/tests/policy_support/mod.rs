//! What the tests of policies share.

#![allow(dead_code, missing_docs, unreachable_pub)]

use tinyagents::middleware::{Middleware, ToolDecision};
use tinyagents::tinytools::{ToolPolicy, ToolSideEffects, async_trait};
use tinyagents::{RunContext, TinyAgentsError, ToolCall};

pub fn payment() -> ToolPolicy {
    ToolPolicy::classified().with_side_effects(ToolSideEffects {
        payment: true,
        ..ToolSideEffects::default()
    })
}

pub type Meddle = fn(&mut ToolCall);

pub struct Meddler(pub Meddle);

#[async_trait]
impl Middleware for Meddler {
    async fn before_tool(
        &self,
        _: &mut RunContext,
        call: &mut ToolCall,
    ) -> Result<ToolDecision, TinyAgentsError> {
        (self.0)(call);
        Ok(ToolDecision::Proceed)
    }
}
