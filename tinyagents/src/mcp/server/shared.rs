//! What all sessions of a server share.

use std::sync::Arc;

use rmcp::model::ServerConfig;

use super::changes::ToolListChanges;
use super::places::ServerPlaces;
use super::questions::OpenQuestions;
use super::session::McpSession;
use crate::context::RunContext;
use crate::deferred::DeferredToolHandler;
use crate::dispatch::Dispatcher;
use crate::error::TinyAgentsError;
use crate::harness::RunPolicy;

pub(super) type Provider = dyn Fn(&McpSession) -> Result<RunContext, TinyAgentsError> + Send + Sync;
pub(super) type Stating = dyn Fn(RunContext) -> RunContext + Send + Sync;

/// What all sessions share.
pub(super) struct Server {
    pub(super) dispatcher: Dispatcher,
    pub(super) policy: RunPolicy,
    pub(super) info: ServerConfig,
    pub(super) provider: Option<Arc<Provider>>,
    pub(super) stating: Option<Arc<Stating>>,
    pub(super) deferred_handler: Option<Arc<dyn DeferredToolHandler>>,
    pub(super) changes: ToolListChanges,
    /// Calls that have ended, for those who listen in another request.
    pub(super) calls: ToolListChanges,
    pub(super) questions: OpenQuestions,
    pub(super) places: ServerPlaces,
}

impl Server {
    /// The context of a session.
    pub(super) fn context(&self, session: &McpSession) -> Result<RunContext, TinyAgentsError> {
        let ctx = match &self.provider {
            Some(provider) => provider(session)?,
            None => RunContext::new(),
        };
        Ok(self.stated(ctx))
    }

    fn stated(&self, ctx: RunContext) -> RunContext {
        match &self.stating {
            Some(stating) => stating(ctx),
            None => ctx,
        }
    }

    /// What would keep every session from beginning is told before there is one.
    pub(super) async fn check(&self) -> Result<(), TinyAgentsError> {
        if self.provider.is_some() {
            return Ok(());
        }
        let ctx = self.stated(RunContext::new());
        let turn = self.dispatcher.turn(&ctx).await?;
        turn.check_injections(&ctx)
    }
}
