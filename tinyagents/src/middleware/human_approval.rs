//! A person's word on calls.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;
use tinytools::ToolResult;

use super::{Middleware, ToolDecision};
use crate::context::RunContext;
use crate::error::TinyAgentsError;
use crate::events::AgentEvent;
use crate::model::ToolCall;

/// What a person, or a host on their behalf, says of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ApprovalOutcome {
    /// It is approved, with these arguments.
    Allow,
    /// It doesn't run; the model reads the text.
    Deny(String),
    /// Nobody can say now: it leaves the loop and waits for an approval.
    Defer,
}

type Callback = dyn Fn(&ToolCall) -> ApprovalOutcome + Send + Sync;

/// Asks for approval of calls, as they would run: with valid arguments, after all other middlewares.
///
/// ```
/// use tinyagents::middleware::{ApprovalOutcome, HumanApprovalMiddleware};
/// use tinyagents::{AgentHarness, ToolCall};
///
/// let mut harness: AgentHarness<()> = AgentHarness::new();
/// harness.with_middleware(HumanApprovalMiddleware::new(["refund"]).with_approval_outcome(
///     |call: &ToolCall| match call.arguments["cents"].as_u64() {
///         Some(..1000) => ApprovalOutcome::Allow,
///         _ => ApprovalOutcome::Defer,
///     },
/// ));
/// ```
#[derive(Clone)]
pub struct HumanApprovalMiddleware {
    /// `None` is every tool.
    tools: Option<BTreeSet<String>>,
    outcome: Arc<Callback>,
}

impl HumanApprovalMiddleware {
    /// Defers each call of these tools, by canonical name, until it is approved.
    pub fn new<N: Into<String>>(tools: impl IntoIterator<Item = N>) -> Self {
        Self {
            tools: Some(tools.into_iter().map(Into::into).collect()),
            outcome: Arc::new(|_| ApprovalOutcome::Defer),
        }
    }

    /// Defers each call of any tool until it is approved.
    #[must_use]
    pub fn every_call() -> Self {
        Self {
            tools: None,
            outcome: Arc::new(|_| ApprovalOutcome::Defer),
        }
    }

    /// Asks this function instead; it must not block, so where a person has to be waited for it says
    /// [`Defer`](ApprovalOutcome::Defer). It isn't asked for a call that is approved already.
    #[must_use]
    pub fn with_approval_outcome(
        mut self,
        outcome: impl Fn(&ToolCall) -> ApprovalOutcome + Send + Sync + 'static,
    ) -> Self {
        self.outcome = Arc::new(outcome);
        self
    }
}

#[async_trait]
impl Middleware for HumanApprovalMiddleware {
    fn has_wrap_hooks(&self) -> bool {
        false
    }

    async fn authorize_tool(
        &self,
        ctx: &mut RunContext,
        call: &ToolCall,
    ) -> Result<ToolDecision, TinyAgentsError> {
        let is_concerned = self
            .tools
            .as_ref()
            .is_none_or(|tools| tools.contains(&call.name));
        if !is_concerned || ctx.is_call_approved(&call.id) {
            return Ok(ToolDecision::Proceed);
        }
        Ok(match (self.outcome)(call) {
            ApprovalOutcome::Allow => {
                ctx.set_approved(true);
                ctx.emit_with(|| AgentEvent::ToolApproved {
                    call_id: call.id.clone(),
                    tool_name: call.name.clone(),
                });
                ToolDecision::Proceed
            }
            ApprovalOutcome::Deny(message) => {
                ctx.emit_with(|| AgentEvent::ToolDenied {
                    call_id: call.id.clone(),
                    tool_name: call.name.clone(),
                    message: message.clone(),
                });
                ToolDecision::Answer(ToolResult::error(message))
            }
            ApprovalOutcome::Defer => ToolDecision::RequireApproval {
                metadata: Value::Null,
            },
        })
    }
}

impl fmt::Debug for HumanApprovalMiddleware {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HumanApprovalMiddleware")
            .field("tools", &self.tools)
            .finish_non_exhaustive()
    }
}
