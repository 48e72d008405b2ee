//! The entry for a host with its own loop.

use std::collections::HashSet;
use std::pin::pin;
use std::sync::{Arc, OnceLock};

use super::{Batch, BlockingPlaces, Turn};
use crate::context::RunContext;
use crate::deferred::{Coverage, DeferredToolRequests, DeferredToolResults, resolve};
use crate::error::TinyAgentsError;
use crate::harness::{HostCapabilities, RunPolicy};
use crate::middleware::{Middleware, MiddlewareStack};
use crate::model::ToolCall;
use crate::registry::{Catalogue, ToolRegistry};
use crate::toolset::{ToolSet, ToolSources};

/// Admits, runs and answers the calls of a model, turn by turn. Cheap to clone.
///
/// For a host with a loop of its own: [`turn`](Self::turn) says what to advertise, and each batch of calls comes back as
/// one row per call, in call order.
///
/// ```
/// use serde_json::json;
/// use tinyagents::{Dispatcher, RunContext, ToolCall, ToolRegistry, tool};
///
/// /// Adds two numbers.
/// #[tool(read_only)]
/// fn add(a: i64, b: i64) -> i64 {
///     a + b
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), tinyagents::TinyAgentsError> {
/// let mut registry = ToolRegistry::new();
/// registry.register(AddTool)?;
/// let dispatcher = Dispatcher::new(registry);
/// let ctx = RunContext::new();
///
/// let turn = dispatcher.turn(&ctx).await?;
/// assert_eq!(turn.schemas()[0].name, "add"); // into the request to the model
///
/// // What the model has called; arguments that came as text are made a call by `ToolCall::from_text`.
/// let calls = vec![
///     ToolCall::new("c1", "add", json!({ "a": 2, "b": 3 })),
///     ToolCall::from_text("c2", "add", r#"{ "a": "two" }"#),
/// ];
/// let batch = turn.dispatch(&(), &ctx, calls).await?;
/// let [sum, refused] = &batch.messages[..] else { unreachable!() };
/// assert_eq!((sum.call_id.as_str(), sum.content.as_str()), ("c1", "5"));
/// assert!(refused.is_error); // in words that let the model call again
/// assert!(batch.deferred.is_none()); // nothing waits for a person or another process
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Dispatcher {
    pub(super) catalogue: Arc<Catalogue>,
    policy: Arc<RunPolicy>,
    pub(super) middleware: Arc<MiddlewareStack>,
    pub(super) sources: Arc<ToolSources>,
    blocking: BlockingPlaces,
    capabilities: HostCapabilities,
    /// A turn of the registered tools alone, where no other can be asked for.
    fixed: OnceLock<Turn>,
}

impl Dispatcher {
    /// A dispatcher for the tools as they are registered now, under the default policy.
    #[must_use]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "the dispatcher owns what it runs"
    )]
    pub fn new(registry: ToolRegistry) -> Self {
        Self {
            catalogue: Arc::clone(registry.catalogue()),
            policy: Arc::default(),
            middleware: Arc::default(),
            sources: Arc::default(),
            blocking: BlockingPlaces::default(),
            capabilities: HostCapabilities::default(),
            fixed: OnceLock::new(),
        }
    }

    pub(crate) fn from_parts(
        catalogue: Arc<Catalogue>,
        policy: Arc<RunPolicy>,
        middleware: Arc<MiddlewareStack>,
        sources: Arc<ToolSources>,
        blocking: BlockingPlaces,
        capabilities: HostCapabilities,
    ) -> Self {
        Self {
            catalogue,
            policy,
            middleware,
            sources,
            blocking,
            capabilities,
            fixed: OnceLock::new(),
        }
    }

    /// Replaces the policy.
    #[must_use]
    pub fn with_policy(mut self, policy: RunPolicy) -> Self {
        self.fixed = OnceLock::new();
        self.blocking = BlockingPlaces::of(&policy);
        self.policy = Arc::new(policy);
        self
    }

    /// Adds a set of tools, beside the registered ones and those of earlier sets. Each turn asks it what there is.
    #[must_use]
    pub fn with_toolset(mut self, set: impl ToolSet + 'static) -> Self {
        self.fixed = OnceLock::new();
        self.sources = Arc::new(self.sources.with(set));
        self
    }

    /// Adds a middleware, after those that are there. Only its tool hooks are called here.
    #[must_use]
    pub fn with_middleware(mut self, middleware: impl Middleware + 'static) -> Self {
        self.fixed = OnceLock::new();
        Arc::make_mut(&mut self.middleware).push(middleware);
        self
    }

    /// Adds the middlewares of a stack, after those that are there.
    #[must_use]
    pub fn with_middleware_stack(mut self, stack: MiddlewareStack) -> Self {
        self.fixed = OnceLock::new();
        Arc::make_mut(&mut self.middleware).append(stack);
        self
    }

    /// Replaces what is enforced for runs with a definition.
    #[must_use]
    pub fn with_host_capabilities(mut self, capabilities: HostCapabilities) -> Self {
        self.fixed = OnceLock::new();
        self.capabilities = capabilities;
        self
    }

    /// Fixes what one turn advertises and can run: the registered tools, and what the toolsets show now, without the
    /// tools that the run's definition or a middleware hides. Tells of it by an
    /// [`AgentEvent::ToolsAdvertised`](crate::AgentEvent::ToolsAdvertised).
    ///
    /// # Errors
    /// When the tools of a set can't be listed or compiled, or have the name of another tool.
    pub async fn turn(&self, ctx: &RunContext) -> Result<Turn, TinyAgentsError> {
        let turn = self.shown_turn(ctx).await?;
        ctx.emit_with(|| turn.advertised_event());
        Ok(turn)
    }

    /// The same for a loop that tells of it when it asks the model.
    pub(crate) async fn shown_turn(&self, ctx: &RunContext) -> Result<Turn, TinyAgentsError> {
        let turn = self.whole_turn(ctx).await?;
        Ok(turn.for_definition(ctx).for_middleware(ctx))
    }

    /// The same before anything is hidden of it but what may not be found.
    pub(crate) async fn whole_turn(&self, ctx: &RunContext) -> Result<Turn, TinyAgentsError> {
        let catalogue = if self.sources.adds_nothing(&self.catalogue, ctx) {
            Arc::clone(&self.catalogue)
        } else {
            Box::pin(self.sources.catalogue(&self.catalogue, ctx)).await?
        };
        self.turn_with(catalogue).discovering(ctx, &self.sources)
    }

    fn turn_with(&self, catalogue: Arc<Catalogue>) -> Turn {
        Turn::new(
            catalogue,
            Arc::clone(&self.policy),
            Arc::clone(&self.middleware),
            self.blocking.clone(),
            self.capabilities,
        )
    }

    /// Dispatches calls in a turn of their own.
    ///
    /// # Errors
    /// As [`turn`](Self::turn) and [`Turn::dispatch`].
    pub async fn dispatch<S: Clone + Send + Sync + 'static>(
        &self,
        state: &S,
        ctx: &RunContext,
        calls: Vec<ToolCall>,
    ) -> Result<Batch, TinyAgentsError> {
        let whole;
        let adds_nothing = self.sources.adds_nothing(&self.catalogue, ctx);
        let turn = if adds_nothing && self.catalogue.deferred().is_empty() {
            let registered = || self.turn_with(Arc::clone(&self.catalogue));
            self.fixed.get_or_init(registered)
        } else {
            whole = self.whole_turn(ctx).await?;
            &whole
        };
        let mut batch = Batch::default();
        pin!(turn.dispatch_into(state, ctx, calls, &mut batch)).await?;
        Ok(batch)
    }

    /// Brings deferred calls to their end: approved ones are admitted again and run, the others are answered as the
    /// results say.
    ///
    /// The rows belong among those of the calls' turn, in its call order; what defers anew is in the batch's
    /// `deferred`.
    ///
    /// # Errors
    /// [`DeferredResults`](TinyAgentsError::DeferredResults) when a call has no answer, or an answer no call;
    /// [`Validation`](TinyAgentsError::Validation) when the requests are not as they were made; and as
    /// [`Turn::dispatch`]. No call has run then.
    pub async fn resume<S: Clone + Send + Sync + 'static>(
        &self,
        state: &S,
        ctx: &RunContext,
        requests: DeferredToolRequests,
        results: DeferredToolResults,
    ) -> Result<Batch, TinyAgentsError> {
        let resolved = resolve(&requests, &HashSet::new(), results, Coverage::All)?;
        let ctx = ctx.clone().with_state(state.clone());
        let ctx = ctx.hosted(self.capabilities, &self.middleware, &self.catalogue);
        let turn = self.whole_turn(&ctx).await?;
        turn.check_injections(&ctx)?;
        let mut batch = Batch::default();
        turn.run_resolved(&ctx, resolved, &mut batch).await?;
        Ok(batch)
    }
}
