//! The hooks of one middleware.

use async_trait::async_trait;
use tinytools::ToolResult;

use super::{NextAgent, NextModel, NextTool, RedactionMiddleware, ToolDecision};
use crate::context::RunContext;
use crate::error::TinyAgentsError;
use crate::harness::AgentRun;
use crate::model::{Message, ModelRequest, ModelResponse, ToolCall};

/// Hooks around the agent, the model and every tool call; each does nothing by default.
///
/// `before_*` hooks run in the order of registration, `after_*` hooks in reverse. Of the `wrap_*` hooks the first
/// registered is the outermost; all lie inside of the `before_*` and `after_*` hooks of their kind. A hook that fails
/// stops the run with [`StopReason::Middleware`](crate::harness::StopReason::Middleware); a pending call is then
/// answered without running.
///
/// ```
/// use tinyagents::middleware::{Middleware, NextTool};
/// use tinyagents::{RunContext, TinyAgentsError, ToolCall, ToolResult, async_trait};
///
/// /// Tries a call that failed once more.
/// struct OnceMore;
///
/// #[async_trait]
/// impl Middleware for OnceMore {
///     async fn wrap_tool(
///         &self,
///         ctx: &mut RunContext,
///         call: &ToolCall,
///         next: NextTool<'_>,
///     ) -> Result<ToolResult, TinyAgentsError> {
///         let result = next.run(ctx, call).await?;
///         if result.is_error { next.run(ctx, call).await } else { Ok(result) }
///     }
/// }
/// ```
#[async_trait]
pub trait Middleware: Send + Sync {
    /// A name for the host's messages. Default: the type's.
    fn name(&self) -> &str {
        std::any::type_name::<Self>()
    }

    /// Whether any of the `wrap_*` hooks does something. Say `false` where none does: a call then takes the shorter way
    /// past them. Default: `true`, so that no hook is ever left out by mistake.
    fn has_wrap_hooks(&self) -> bool {
        true
    }

    /// The texts that must not be told while the model speaks: no hook sees those pieces. For a middleware around a
    /// [`RedactionMiddleware`], which says that one's. Default: none.
    fn redaction(&self) -> Option<&RedactionMiddleware> {
        None
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

    /// Why the model isn't to be shown the tool of this name; `None` shows it.
    ///
    /// Asked for each tool where a host with its own loop takes a [`Turn`](crate::runtime::Turn), since that loop calls
    /// no [`before_model`](Self::before_model). Hiding is not refusing: refuse in
    /// [`authorize_tool`](Self::authorize_tool).
    fn hides(&self, ctx: &RunContext, tool_name: &str) -> Option<String> {
        let _ = (ctx, tool_name);
        None
    }

    /// Decides on each tool call as it would run: after every [`before_tool`](Self::before_tool), the name final, the
    /// arguments valid. Nothing can change the call afterwards without being asked here again.
    ///
    /// # Errors
    /// As [`before_tool`](Self::before_tool).
    async fn authorize_tool(
        &self,
        ctx: &mut RunContext,
        call: &ToolCall,
    ) -> Result<ToolDecision, TinyAgentsError> {
        let _ = (ctx, call);
        Ok(ToolDecision::Proceed)
    }

    /// Around the turns of a run: may look at the outcome, replace it, try again, or not run the agent at all.
    ///
    /// # Errors
    /// Whatever should be told as the run's end; an error of the run itself is handed on.
    async fn wrap_agent(
        &self,
        ctx: &mut RunContext,
        messages: Vec<Message>,
        next: NextAgent<'_>,
    ) -> Result<AgentRun, TinyAgentsError> {
        next.run(ctx, messages).await
    }

    /// Around each request. Tools that are taken out of the request can't be called in this turn; added ones neither.
    ///
    /// # Errors
    /// Whatever should stop the run; an error of the model is handed on.
    async fn wrap_model(
        &self,
        ctx: &mut RunContext,
        request: ModelRequest,
        next: NextModel<'_>,
    ) -> Result<ModelResponse, TinyAgentsError> {
        next.run(ctx, request).await
    }

    /// Around each tool call that runs, its timeout and its retries included.
    ///
    /// # Errors
    /// [`ApprovalRequired`](TinyAgentsError::ApprovalRequired) and [`CallDeferred`](TinyAgentsError::CallDeferred)
    /// defer the call; any other error stops the run.
    async fn wrap_tool(
        &self,
        ctx: &mut RunContext,
        call: &ToolCall,
        next: NextTool<'_>,
    ) -> Result<ToolResult, TinyAgentsError> {
        next.run(ctx, call).await
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

    /// The most bytes that the model may read of this call's result, whatever the tool itself allows; `None` sets no
    /// bound. The smallest of all middlewares' holds.
    ///
    /// The result is cut to it after every [`after_tool`](Self::after_tool), and is kept whole in the run's artifact
    /// store, if it has one. A longer one has `"truncated": true` and its length as `"full_bytes"` in its metadata.
    fn max_result_bytes(&self, ctx: &RunContext, call: &ToolCall) -> Option<u64> {
        let _ = (ctx, call);
        None
    }
}
