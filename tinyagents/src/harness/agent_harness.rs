//! Model, tools and policy, ready to run.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use tinytools::{IntoTools, ToolPolicy};

use super::{HostCapabilities, RunPolicy};
use crate::deferred::DeferredToolHandler;
use crate::dispatch::BlockingPlaces;
use crate::error::TinyAgentsError;
use crate::middleware::{Middleware, MiddlewareStack};
use crate::model::{ChatModel, ToolSchema};
use crate::registry::{IntoTool, ToolGroup, ToolRegistry};
use crate::toolset::{ToolSet, ToolSources};

/// An agent: a model, the tools it may call, and the policy of its runs.
///
/// `S` is the state that tools get for a hidden `&S`; it is cloned once per run, so wrap it in an `Arc` if that is
/// dear. Without a policy middleware a run executes unclassified tools too.
pub struct AgentHarness<S = ()> {
    pub(super) model: Option<Arc<dyn ChatModel>>,
    pub(super) registry: ToolRegistry,
    pub(super) policy: Arc<RunPolicy>,
    pub(super) middleware: Arc<MiddlewareStack>,
    pub(super) deferred_handler: Option<Arc<dyn DeferredToolHandler>>,
    pub(super) sources: Arc<ToolSources>,
    pub(super) blocking: BlockingPlaces,
    pub(super) capabilities: HostCapabilities,
    state: PhantomData<fn(&S)>,
}

impl<S: Clone + Send + Sync + 'static> AgentHarness<S> {
    /// A harness without model and tools, under the default policy.
    #[must_use]
    pub fn new() -> Self {
        Self {
            model: None,
            registry: ToolRegistry::new(),
            policy: Arc::default(),
            middleware: Arc::default(),
            deferred_handler: None,
            sources: Arc::default(),
            blocking: BlockingPlaces::default(),
            capabilities: HostCapabilities::default(),
            state: PhantomData,
        }
    }

    /// Sets the model.
    pub fn with_model(&mut self, model: impl ChatModel + 'static) -> &mut Self {
        self.model = Some(Arc::new(model));
        self
    }

    /// Registers one tool.
    ///
    /// # Errors
    /// As [`ToolRegistry::register`].
    pub fn register_tool<Form>(
        &mut self,
        tool: impl IntoTool<Form>,
    ) -> Result<&mut Self, TinyAgentsError> {
        self.registry.register(tool)?;
        Ok(self)
    }

    /// Registers a list of tools, all or none.
    ///
    /// # Errors
    /// As [`ToolRegistry::register_all`].
    pub fn register_all(&mut self, tools: impl IntoTools) -> Result<&mut Self, TinyAgentsError> {
        self.registry.register_all(tools)?;
        Ok(self)
    }

    /// Registers the tools of a group, all or none; its instructions are appended to the system prompt.
    ///
    /// # Errors
    /// As [`ToolRegistry::register_group`].
    pub fn register_group(&mut self, group: ToolGroup) -> Result<&mut Self, TinyAgentsError> {
        self.registry.register_group(group)?;
        Ok(self)
    }

    /// Registers a tool whose calls the host answers.
    ///
    /// # Errors
    /// As [`ToolRegistry::register_external`].
    pub fn register_external_tool(
        &mut self,
        schema: ToolSchema,
    ) -> Result<&mut Self, TinyAgentsError> {
        self.registry.register_external(schema)?;
        Ok(self)
    }

    /// Replaces the policy of runs.
    pub fn with_policy(&mut self, policy: RunPolicy) -> &mut Self {
        self.blocking = BlockingPlaces::of(&policy);
        self.policy = Arc::new(policy);
        self
    }

    /// Adds a set of tools, beside the registered ones and those of earlier sets. Each turn asks it what there is; its
    /// instructions are appended to the system prompt.
    pub fn with_toolset(&mut self, set: impl ToolSet + 'static) -> &mut Self {
        self.sources = Arc::new(self.sources.with(set));
        self
    }

    /// Adds a middleware, after those that are there.
    pub fn with_middleware(&mut self, middleware: impl Middleware + 'static) -> &mut Self {
        Arc::make_mut(&mut self.middleware).push(middleware);
        self
    }

    /// Adds the middlewares of a stack, after those that are there.
    pub fn with_middleware_stack(&mut self, stack: MiddlewareStack) -> &mut Self {
        Arc::make_mut(&mut self.middleware).append(stack);
        self
    }

    /// Sets who answers deferred calls while the run waits. Default: nobody; the run pauses.
    pub fn with_deferred_tool_handler(
        &mut self,
        handler: impl DeferredToolHandler + 'static,
    ) -> &mut Self {
        self.deferred_handler = Some(Arc::new(handler));
        self
    }

    /// Replaces what is enforced for runs with a definition.
    pub fn with_host_capabilities(&mut self, capabilities: HostCapabilities) -> &mut Self {
        self.capabilities = capabilities;
        self
    }

    /// The policy of every registered tool, by name.
    #[must_use]
    pub fn policies(&self) -> BTreeMap<String, ToolPolicy> {
        self.registry.policies()
    }

    /// The registered tools.
    #[must_use]
    pub fn registry(&self) -> &ToolRegistry {
        &self.registry
    }
}

impl<S: Clone + Send + Sync + 'static> Default for AgentHarness<S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S> fmt::Debug for AgentHarness<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgentHarness")
            .field("registry", &self.registry)
            .field("policy", &self.policy)
            .field("middleware", &self.middleware)
            .finish_non_exhaustive()
    }
}
