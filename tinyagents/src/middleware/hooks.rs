//! The hooks of one middleware.

use async_trait::async_trait;
use tinytools::ToolResult;

use super::ToolDecision;
use crate::context::RunContext;
use crate::error::TinyAgentsError;
use crate::harness::AgentRun;
use crate::model::{Message, ModelRequest, ModelResponse, ToolCall};

/// Hooks around the agent, the model and every tool call; each does nothing by default.
///
/// `before_*` hooks run in the order of registration, `after_*` hooks in reverse. A hook that fails stops the run with
/// [`StopReason::Middleware`](crate::harness::StopReason::Middleware); a pending call is then answered without running.
#[async_trait]
pub trait Middleware: Send + Sync {
    /// A name for the host's messages. Default: the type's.
    fn name(&self) -> &str {
        std::any::type_name::<Self>()
    }

    /// Before the first request of a run.
    ///
    /// # Errors
    /// Whatever should stop the run before it starts.
    async fn before_agent(
        &self,
        ctx: &mut RunContext,
        messages: &mut Vec<Message>,
    ) -> Result<(), TinyAgentsError> {
        let _ = (ctx, messages);
        Ok(())
    }

    /// After the run, however it ended; only where this middleware's `before_agent` succeeded.
    ///
    /// # Errors
    /// Whatever should be told as the run's end.
    async fn after_agent(
        &self,
        ctx: &mut RunContext,
        run: &mut AgentRun,
    ) -> Result<(), TinyAgentsError> {
        let _ = (ctx, run);
        Ok(())
    }

    /// Before each request. Tools that are taken out of the request can't be called in this turn.
    ///
    /// # Errors
    /// Whatever should stop the run.
    async fn before_model(
        &self,
        ctx: &mut RunContext,
        request: &mut ModelRequest,
    ) -> Result<(), TinyAgentsError> {
        let _ = (ctx, request);
        Ok(())
    }

    /// After each response, before its calls are looked at.
    ///
    /// # Errors
    /// Whatever should stop the run.
    async fn after_model(
        &self,
        ctx: &mut RunContext,
        response: &mut ModelResponse,
    ) -> Result<(), TinyAgentsError> {
        let _ = (ctx, response);
        Ok(())
    }

    /// Before each tool call, in call order, before any call of the batch runs.
    ///
    /// The arguments are repaired and hold no forged hidden value. Name and arguments may be changed; the id may not.
    ///
    /// # Errors
    /// [`ApprovalRequired`](TinyAgentsError::ApprovalRequired) and [`CallDeferred`](TinyAgentsError::CallDeferred)
    /// defer the call; any other error stops the run.
    async fn before_tool(
        &self,
        ctx: &mut RunContext,
        call: &mut ToolCall,
    ) -> Result<ToolDecision, TinyAgentsError> {
        let _ = (ctx, call);
        Ok(ToolDecision::Proceed)
    }

    /// After each tool call, also one that was answered without running; may change the result.
    ///
    /// # Errors
    /// Whatever should stop the run.
    async fn after_tool(
        &self,
        ctx: &mut RunContext,
        call: &ToolCall,
        result: &mut ToolResult,
    ) -> Result<(), TinyAgentsError> {
        let _ = (ctx, call, result);
        Ok(())
    }
}
