//! The middlewares of a run, in order.

use std::error::Error as _;
use std::fmt;
use std::sync::Arc;

use tinytools::ToolResult;

use super::{Middleware, ToolDecision};
use crate::context::RunContext;
use crate::error::TinyAgentsError;
use crate::harness::AgentRun;
use crate::model::{Message, ModelRequest, ModelResponse, ToolCall};

/// Middlewares in the order of registration.
#[derive(Clone, Default)]
pub struct MiddlewareStack {
    layers: Vec<Arc<dyn Middleware>>,
}

/// A hook failed: the middleware's name and its error.
pub(crate) struct HookFailure {
    pub(crate) middleware: String,
    pub(crate) error: TinyAgentsError,
}

impl HookFailure {
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
        self.layers.push(Arc::new(middleware));
        self
    }

    /// Adds a shared middleware after those that are there.
    pub fn push_arc(&mut self, middleware: Arc<dyn Middleware>) -> &mut Self {
        self.layers.push(middleware);
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
            match layer.before_tool(ctx, call).await {
                Ok(ToolDecision::Proceed) => {}
                Ok(decision) => return Ok(decision),
                Err(TinyAgentsError::ApprovalRequired { metadata }) => {
                    return Ok(ToolDecision::RequireApproval { metadata });
                }
                Err(TinyAgentsError::CallDeferred { metadata }) => {
                    return Ok(ToolDecision::Defer { metadata });
                }
                Err(error) => return Err(HookFailure::of(layer.as_ref())(error)),
            }
        }
        Ok(ToolDecision::Proceed)
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
}

impl fmt::Debug for MiddlewareStack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.layers.iter().map(|layer| layer.name());
        f.debug_list().entries(names).finish()
    }
}
