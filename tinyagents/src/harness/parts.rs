//! What a run is made of.

use std::sync::Arc;

use super::RunPolicy;
use crate::deferred::DeferredToolHandler;
use crate::dispatch::Dispatcher;
use crate::middleware::MiddlewareStack;
use crate::model::ChatModel;
use crate::timeline::Recorder;
use crate::toolset::ToolSources;

/// What a run is made of.
#[derive(Clone, Copy)]
pub(super) struct Parts<'a> {
    pub(super) model: &'a dyn ChatModel,
    pub(super) dispatcher: &'a Dispatcher,
    pub(super) policy: &'a RunPolicy,
    pub(super) middleware: &'a MiddlewareStack,
    /// Appended to the system prompt, once, in order.
    pub(super) instructions: &'a [String],
    /// Who answers deferred calls while the run waits.
    pub(super) deferred_handler: Option<&'a dyn DeferredToolHandler>,
    /// What keeps the times of the run's calls; the context has it, too.
    pub(super) recorder: &'a Recorder,
    /// The toolsets, which have instructions of their own.
    pub(super) sources: &'a Arc<ToolSources>,
}
