//! What lies inside of a wrap hook: the hooks of later middlewares, and at last the thing itself.

use std::sync::{Arc, Mutex, PoisonError};

use futures::future::BoxFuture;
use tinytools::ToolResult;

use super::Middleware;
use crate::context::RunContext;
use crate::error::TinyAgentsError;
use crate::harness::AgentRun;
use crate::model::{Message, ModelRequest, ModelResponse, ToolCall};

/// The thing itself, in the middle of all hooks of its kind.
pub(crate) trait Core<In, Out>: Send + Sync {
    fn run<'f>(
        &'f self,
        ctx: &'f mut RunContext,
        input: In,
    ) -> BoxFuture<'f, Result<Out, TinyAgentsError>>
    where
        In: 'f;
}

/// The middlewares around a core, and who of them failed first.
pub(crate) struct Onion<'a> {
    pub(crate) layers: &'a [Arc<dyn Middleware>],
    failed: Mutex<Option<String>>,
}

impl<'a> Onion<'a> {
    pub(crate) fn new(layers: &'a [Arc<dyn Middleware>]) -> Self {
        Self {
            layers,
            failed: Mutex::default(),
        }
    }

    /// The middleware whose error came through to the outside.
    pub(crate) fn take_failed(&self) -> Option<String> {
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        failed.take()
    }

    /// Remembers who failed first, until somebody mends it.
    fn note<T>(&self, layer: &dyn Middleware, done: &Result<T, TinyAgentsError>) {
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        match done {
            Ok(_) => *failed = None,
            Err(_) => {
                failed.get_or_insert_with(|| layer.name().to_owned());
            }
        }
    }
}

/// The rest of a run, inside of [`wrap_agent`](Middleware::wrap_agent).
#[derive(Clone, Copy)]
pub struct NextAgent<'a> {
    pub(super) onion: &'a Onion<'a>,
    pub(super) depth: usize,
    pub(super) core: &'a dyn Core<Vec<Message>, AgentRun>,
}

impl NextAgent<'_> {
    /// Runs the agent on a transcript; may be called again, for another try.
    ///
    /// # Errors
    /// What the run fails with, and what the hooks inside fail with.
    pub async fn run(
        &self,
        ctx: &mut RunContext,
        messages: Vec<Message>,
    ) -> Result<AgentRun, TinyAgentsError> {
        let Some(layer) = self.onion.layers.get(self.depth) else {
            return self.core.run(ctx, messages).await;
        };
        let inner = Self {
            depth: self.depth + 1,
            ..*self
        };
        let done = layer.wrap_agent(ctx, messages, inner).await;
        self.onion.note(layer.as_ref(), &done);
        done
    }
}

/// The rest of a request, inside of [`wrap_model`](Middleware::wrap_model).
#[derive(Clone, Copy)]
pub struct NextModel<'a> {
    pub(super) onion: &'a Onion<'a>,
    pub(super) depth: usize,
    pub(super) core: &'a dyn Core<ModelRequest, ModelResponse>,
}

impl NextModel<'_> {
    /// Asks the model; may be called again, for another try. Each one counts towards the run's limit.
    ///
    /// # Errors
    /// What the model fails with, and what the hooks inside fail with.
    pub async fn run(
        &self,
        ctx: &mut RunContext,
        request: ModelRequest,
    ) -> Result<ModelResponse, TinyAgentsError> {
        let Some(layer) = self.onion.layers.get(self.depth) else {
            return self.core.run(ctx, request).await;
        };
        let inner = Self {
            depth: self.depth + 1,
            ..*self
        };
        let done = layer.wrap_model(ctx, request, inner).await;
        self.onion.note(layer.as_ref(), &done);
        done
    }
}

/// The rest of a call, inside of [`wrap_tool`](Middleware::wrap_tool).
#[derive(Clone, Copy)]
pub struct NextTool<'a> {
    pub(super) onion: &'a Onion<'a>,
    pub(super) depth: usize,
    pub(super) core: &'a dyn for<'c> Core<&'c ToolCall, ToolResult>,
}

impl NextTool<'_> {
    /// Runs the call; may be called again, for another try.
    ///
    /// A call with other arguments is checked as the model's own was: hidden names are stripped, the schema is held
    /// against it, the policies are asked. Where one refuses, the tool doesn't run, and the result says so. The name
    /// and the id can't be changed here.
    ///
    /// # Errors
    /// [`ApprovalRequired`](TinyAgentsError::ApprovalRequired) and [`CallDeferred`](TinyAgentsError::CallDeferred) when
    /// the call leaves the loop, and what the hooks inside fail with. A tool that fails is no error but a result that
    /// says so.
    pub async fn run(
        &self,
        ctx: &mut RunContext,
        call: &ToolCall,
    ) -> Result<ToolResult, TinyAgentsError> {
        let Some(layer) = self.onion.layers.get(self.depth) else {
            return self.core.run(ctx, call).await;
        };
        let inner = Self {
            depth: self.depth + 1,
            ..*self
        };
        let done = layer.wrap_tool(ctx, call, inner).await;
        self.onion.note(layer.as_ref(), &done);
        done
    }
}
