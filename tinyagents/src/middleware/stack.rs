//! The middlewares of a run, in order.

use std::error::Error as _;
use std::fmt;
use std::sync::Arc;

use tinytools::ToolResult;

use super::{Core, Middleware, NextAgent, NextModel, NextTool, Onion, ToldMask, ToolDecision};
use crate::context::RunContext;
use crate::error::TinyAgentsError;
use crate::harness::AgentRun;
use crate::model::{Message, ModelRequest, ModelResponse, ToolCall};

/// Middlewares in the order of registration.
#[derive(Clone, Default)]
pub struct MiddlewareStack {
    layers: Vec<Arc<dyn Middleware>>,
    /// Those of them that have wrap hooks.
    wrapping: Vec<Arc<dyn Middleware>>,
}

/// A hook failed: the middleware's name and its error.
pub(crate) struct HookFailure {
    pub(crate) middleware: String,
    pub(crate) error: TinyAgentsError,
}

impl HookFailure {
    /// Of a wrap hook that may have been any in the onion.
    fn within(onion: &Onion<'_>, error: TinyAgentsError) -> Self {
        Self {
            middleware: onion.take_failed().unwrap_or_default(),
            error,
        }
    }

    fn of(layer: &dyn Middleware) -> impl FnOnce(TinyAgentsError) -> Self {
        |error| Self {
            middleware: layer.name().to_owned(),
            error,
        }
    }
}

impl fmt::Display for HookFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "middleware `{}`: {}", self.middleware, self.error)?;
        let mut source = self.error.source();
        while let Some(cause) = source {
            write!(f, ": {cause}")?;
            source = cause.source();
        }
        Ok(())
    }
}

impl MiddlewareStack {
    /// A stack without middlewares.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a middleware after those that are there.
    pub fn push(&mut self, middleware: impl Middleware + 'static) -> &mut Self {
        self.push_arc(Arc::new(middleware))
    }

    /// Adds a shared middleware after those that are there.
    pub fn push_arc(&mut self, middleware: Arc<dyn Middleware>) -> &mut Self {
        if middleware.has_wrap_hooks() {
            self.wrapping.push(Arc::clone(&middleware));
        }
        self.layers.push(middleware);
        self
    }

    /// Adds the middlewares of another stack, in their order, after those that are there.
    pub fn append(&mut self, stack: Self) -> &mut Self {
        self.layers.extend(stack.layers);
        self.wrapping.extend(stack.wrapping);
        self
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.layers.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.layers.is_empty()
    }

    /// Whether there may be wrap hooks.
    pub(crate) fn wraps(&self) -> bool {
        !self.wrapping.is_empty()
    }

    /// What masks a text while it is told.
    pub(crate) fn told_mask(&self) -> ToldMask<'_> {
        ToldMask::new(self.layers.iter().filter_map(|layer| layer.redaction()))
    }

    /// The first reason to hide the tool.
    pub(crate) fn hides(&self, ctx: &RunContext, tool_name: &str) -> Option<String> {
        let mut layers = self.layers.iter();
        layers.find_map(|layer| layer.hides(ctx, tool_name))
    }

    pub(crate) async fn wrap_agent(
        &self,
        ctx: &mut RunContext,
        messages: Vec<Message>,
        core: &dyn Core<Vec<Message>, AgentRun>,
    ) -> Result<AgentRun, HookFailure> {
        let onion = Onion::new(&self.wrapping);
        let outermost = NextAgent {
            onion: &onion,
            depth: 0,
            core,
        };
        let done = outermost.run(ctx, messages).await;
        done.map_err(|error| HookFailure::within(&onion, error))
    }

    pub(crate) async fn wrap_model(
        &self,
        ctx: &mut RunContext,
        request: ModelRequest,
        core: &dyn Core<ModelRequest, ModelResponse>,
    ) -> Result<ModelResponse, HookFailure> {
        let onion = Onion::new(&self.wrapping);
        let outermost = NextModel {
            onion: &onion,
            depth: 0,
            core,
        };
        let done = outermost.run(ctx, request).await;
        done.map_err(|error| HookFailure::within(&onion, error))
    }

    pub(crate) async fn wrap_tool(
        &self,
        ctx: &mut RunContext,
        call: &ToolCall,
        core: &dyn for<'c> Core<&'c ToolCall, ToolResult>,
    ) -> Result<ToolResult, HookFailure> {
        let onion = Onion::new(&self.wrapping);
        let outermost = NextTool {
            onion: &onion,
            depth: 0,
            core,
        };
        let done = outermost.run(ctx, call).await;
        done.map_err(|error| HookFailure::within(&onion, error))
    }

    /// Runs the hooks until one fails. Counts those that succeeded in `entered`.
    pub(crate) async fn before_agent(
        &self,
        ctx: &mut RunContext,
        messages: &mut Vec<Message>,
        entered: &mut usize,
    ) -> Result<(), HookFailure> {
        for layer in &self.layers {
            let done = layer.before_agent(ctx, messages).await;
            done.map_err(HookFailure::of(layer.as_ref()))?;
            *entered += 1;
        }
        Ok(())
    }

    /// Runs the hook of the first `entered` middlewares, whichever fails; the first failure is told.
    pub(crate) async fn after_agent(
        &self,
        entered: usize,
        ctx: &mut RunContext,
        run: &mut AgentRun,
    ) -> Result<(), HookFailure> {
        let mut outcome = Ok(());
        for layer in self.layers.iter().take(entered).rev() {
            let done = layer.after_agent(ctx, run).await;
            outcome = outcome.and(done.map_err(HookFailure::of(layer.as_ref())));
        }
        outcome
    }

    pub(crate) async fn before_model(
        &self,
        ctx: &mut RunContext,
        request: &mut ModelRequest,
    ) -> Result<(), HookFailure> {
        for layer in &self.layers {
            let done = layer.before_model(ctx, request).await;
            done.map_err(HookFailure::of(layer.as_ref()))?;
        }
        Ok(())
    }

    pub(crate) async fn after_model(
        &self,
        ctx: &mut RunContext,
        response: &mut ModelResponse,
    ) -> Result<(), HookFailure> {
        for layer in self.layers.iter().rev() {
            let done = layer.after_model(ctx, response).await;
            done.map_err(HookFailure::of(layer.as_ref()))?;
        }
        Ok(())
    }

    /// The first decision that is not to proceed.
    pub(crate) async fn before_tool(
        &self,
        ctx: &mut RunContext,
        call: &mut ToolCall,
    ) -> Result<ToolDecision, HookFailure> {
        for layer in &self.layers {
            let decision = layer.before_tool(ctx, call).await;
            match deferral_as_decision(decision).map_err(HookFailure::of(layer.as_ref()))? {
                ToolDecision::Proceed => {}
                decision => return Ok(decision),
            }
        }
        Ok(ToolDecision::Proceed)
    }

    /// The most forbidding decision: a refusal comes before an answer, and that before any deferral, whoever says it.
    pub(crate) async fn authorize_tool(
        &self,
        ctx: &mut RunContext,
        call: &ToolCall,
    ) -> Result<ToolDecision, HookFailure> {
        let mut decided = ToolDecision::Proceed;
        for layer in &self.layers {
            let decision = layer.authorize_tool(ctx, call).await;
            match deferral_as_decision(decision).map_err(HookFailure::of(layer.as_ref()))? {
                ToolDecision::Proceed => {}
                decision @ (ToolDecision::Reject(_) | ToolDecision::Answer(_)) => {
                    return Ok(decision);
                }
                decision if decided == ToolDecision::Proceed => decided = decision,
                _ => {}
            }
        }
        Ok(decided)
    }

    /// Runs every hook, whichever fails: each may have to cut or redact the result. The first failure is told.
    pub(crate) async fn after_tool(
        &self,
        ctx: &mut RunContext,
        call: &ToolCall,
        result: &mut ToolResult,
    ) -> Result<(), HookFailure> {
        let mut outcome = Ok(());
        for layer in self.layers.iter().rev() {
            let done = layer.after_tool(ctx, call, result).await;
            outcome = outcome.and(done.map_err(HookFailure::of(layer.as_ref())));
        }
        outcome
    }

    /// The smallest bound on the result.
    pub(crate) fn max_result_bytes(&self, ctx: &RunContext, call: &ToolCall) -> Option<u64> {
        let bounds = self.layers.iter();
        bounds
            .filter_map(|layer| layer.max_result_bytes(ctx, call))
            .min()
    }
}

/// The errors that defer a call are decisions.
fn deferral_as_decision(
    decision: Result<ToolDecision, TinyAgentsError>,
) -> Result<ToolDecision, TinyAgentsError> {
    match decision {
        Err(TinyAgentsError::ApprovalRequired { metadata }) => {
            Ok(ToolDecision::RequireApproval { metadata })
        }
        Err(TinyAgentsError::CallDeferred { metadata }) => Ok(ToolDecision::Defer { metadata }),
        decision => decision,
    }
}

impl fmt::Debug for MiddlewareStack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.layers.iter().map(|layer| layer.name());
        f.debug_list().entries(names).finish()
    }
}
