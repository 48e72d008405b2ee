//! Everything scoped to one run.

use std::any::{Any, TypeId};
use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, OnceLock, PoisonError};

use serde_json::Value;
use tinytools::{ToolRunContext, WorkspaceDescriptor};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::{
    AgentDefinition, Budget, CallId, CallOrigin, CallPart, Handles, RunId, RunPart, RunState,
    ThreadId,
};
use crate::artifacts::ArtifactStore;
use crate::events::AgentEvent;
use crate::harness::{AgentRun, RunLimits};
use crate::registry::Catalogue;
use crate::store::Store;

/// The name of [`RunContext`] where it is the context of one call.
pub type ToolExecutionContext = RunContext;

/// Everything scoped to one run: ids, workspace, limits, cancellation, events, and the values that tools are given.
///
/// A clone is cheap and belongs to the same run: the run's part is shared. Every call gets a clone that also knows its
/// call id, its idempotency key and its approval; that clone is what `#[hidden] ctx: &RunContext` receives.
///
/// The `with_*` and `provide*` methods change this value alone: clones made earlier keep what they had. What narrows
/// (limits, deadline, cancellation) can never be widened again, in a [`child`](Self::child) neither. Counters are
/// shared by all clones and children, so one context is for one run.
///
/// ```
/// use tinyagents::RunContext;
///
/// struct Units { metric: bool }
///
/// let ctx = RunContext::new().with_thread_id("t1").provide(Units { metric: true });
/// assert_eq!(ctx.thread_id().map(|id| id.as_str()), Some("t1"));
/// assert!(ctx.value::<Units>().is_some_and(|units| units.metric));
/// ```
pub struct RunContext {
    pub(super) run: Arc<RunPart>,
    pub(super) call: CallPart,
    /// Beside the run's part, which would have to be copied for it at every dispatch.
    pub(super) state: Option<Arc<dyn RunState>>,
    /// The tools of the turn, where there are middlewares to look at them.
    pub(super) catalogue: Option<Arc<Catalogue>>,
    /// The token of one blocking call and of everything begun in it; a child of the run's.
    pub(super) call_cancellation: Option<CancellationToken>,
    /// Made when first asked for, since few calls ask; they know run and call, so no clone keeps them.
    pub(super) handles: OnceLock<Box<Handles>>,
}

impl RunContext {
    /// A run of its own: a new id, no bounds, nothing provided.
    #[must_use]
    pub fn new() -> Self {
        Self {
            run: Arc::new(RunPart::new()),
            call: CallPart::default(),
            state: None,
            catalogue: None,
            call_cancellation: None,
            handles: OnceLock::new(),
        }
    }

    /// A run started from within this one. It has an id of its own, and inherits everything else.
    ///
    /// It can only narrow what it inherits: it is cancelled with this run, its calls count towards this run's limits,
    /// and a workspace of its own must lie in this run's.
    #[must_use]
    pub fn child(&self) -> Self {
        Self {
            run: Arc::new(self.run.child(self.cancellation_token().child_token())),
            call: CallPart {
                watcher: self.call.watcher.clone(),
                ..CallPart::default()
            },
            state: self.state.clone(),
            catalogue: None,
            call_cancellation: None,
            handles: OnceLock::new(),
        }
    }

    /// The same run in the context of one call: nothing of an earlier call stays.
    #[must_use]
    pub fn for_call(&self, call_id: impl Into<CallId>) -> Self {
        self.in_call(CallOrigin::Named(call_id.into()))
    }

    #[expect(
        clippy::inline_always,
        reason = "it is large, and has to be made where it stays"
    )]
    #[inline(always)]
    pub(super) fn in_call(&self, origin: CallOrigin) -> Self {
        Self {
            run: Arc::clone(&self.run),
            call: CallPart {
                origin: Some(origin),
                tool_name: None,
                called: None,
                idempotency_key: None,
                is_approved: false,
                watcher: self.call.watcher.clone(),
                gate: self.has_events().then(Arc::default),
            },
            state: self.state.clone(),
            catalogue: self.catalogue.clone(),
            call_cancellation: self.call_cancellation.clone(),
            handles: OnceLock::new(),
        }
    }

    /// The run's id.
    #[must_use]
    pub fn run_id(&self) -> &RunId {
        &self.run.run_id
    }

    /// The id of the run that this one is a child of.
    #[must_use]
    pub fn parent_run_id(&self) -> Option<&RunId> {
        self.run.parent_run_id.as_ref()
    }

    /// The conversation's id.
    #[must_use]
    pub fn thread_id(&self) -> Option<&ThreadId> {
        self.run.thread_id.as_ref()
    }

    /// The id of this call; `None` outside of one.
    #[must_use]
    pub fn call_id(&self) -> Option<&CallId> {
        match self.call.origin.as_ref()? {
            CallOrigin::Named(id) => Some(id),
            CallOrigin::Made(batch, position) => Some(self.made_id(&batch[*position].id)),
        }
    }

    /// The canonical name of the tool that is called; `None` outside of a call.
    #[must_use]
    pub fn tool_name(&self) -> Option<&str> {
        self.call.tool_name()
    }

    /// The part of the file system the run may touch.
    #[must_use]
    pub fn workspace(&self) -> Option<&WorkspaceDescriptor> {
        self.run.workspace.as_ref()
    }

    /// The definition of the agent that this run belongs to; a child has its parent's unless it was given its own.
    #[must_use]
    pub fn definition(&self) -> Option<&AgentDefinition> {
        let held = self.run.definitions.last()?;
        Some(&held.definition)
    }

    /// Whether a person has approved the call of this id: true only in that call's own context.
    #[must_use]
    pub fn is_call_approved(&self, call_id: impl AsRef<str>) -> bool {
        self.call.is_approved && self.call.id() == Some(call_id.as_ref())
    }

    /// How many runs this one is nested in.
    #[must_use]
    pub fn depth(&self) -> u32 {
        self.run.depth
    }

    /// The tags, in the order they were added; a child's begin with its parent's.
    #[must_use]
    pub fn tags(&self) -> &[String] {
        &self.run.tags
    }

    /// What the run may still do.
    #[must_use]
    pub fn budget(&self) -> &Budget {
        &self.run.budget
    }

    /// When the run ends, whatever it is doing: its deadline, or the end of its `wall_clock` once it has begun.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.run.budget.deadline()
    }

    /// The tighter of the run's limits and these.
    #[must_use]
    pub fn narrowed_limits(&self, limits: &RunLimits) -> RunLimits {
        self.limits_within(limits).into_owned()
    }

    /// The same without a copy where the run has no limits of its own.
    pub(crate) fn limits_within<'l>(&self, limits: &'l RunLimits) -> Cow<'l, RunLimits> {
        match &self.run.budget.limits {
            Some(own) => Cow::Owned(own.narrowed_by(limits)),
            None => Cow::Borrowed(limits),
        }
    }

    /// Names of the tools that searches have brought into the requests of this run, in the order in which they did.
    #[must_use]
    pub fn promoted_tools(&self) -> Vec<String> {
        self.run.tools.promoted()
    }

    /// The run up to its failure, when the last one in this context failed after it had begun.
    #[must_use]
    pub fn failed_run(&self) -> Option<AgentRun> {
        let run = self.run.failed_run.lock();
        run.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The host's value of that type, or the run's own.
    #[must_use]
    pub fn value<T: Any + Send + Sync>(&self) -> Option<&T> {
        (self as &dyn ToolRunContext).get_ref()
    }

    /// The state of the harness or the dispatcher that runs this.
    #[must_use]
    pub fn state<S: Any + Send + Sync>(&self) -> Option<&S> {
        let unit: &'static dyn Any = &();
        match unit.downcast_ref() {
            Some(state) => Some(state),
            None => self.state.as_ref()?.get(TypeId::of::<S>())?.downcast_ref(),
        }
    }

    /// The token that tools are given. It is cancelled with the run; wait for [`cancelled`](Self::cancelled) instead
    /// where the tokens of the parent and the host matter at once.
    #[must_use]
    pub fn cancellation_token(&self) -> &CancellationToken {
        let call = self.call_cancellation.as_ref();
        call.unwrap_or(&self.run.cancellation)
    }

    /// Cancels the run and its children; not the run that this is a child of.
    pub fn cancel(&self) {
        self.run.cancellation.cancel();
    }

    /// Whether the run has been cancelled, or this call been given up.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        let call = self.call_cancellation.as_ref();
        call.is_some_and(CancellationToken::is_cancelled) || self.run.is_cancelled()
    }

    /// Resolves when the run is cancelled, or this call is given up.
    pub async fn cancelled(&self) {
        match &self.call_cancellation {
            None => self.run.cancelled().await,
            Some(call) => tokio::select! {
                () = call.cancelled() => {}
                () = self.run.cancelled() => {}
            },
        }
    }

    /// Whether anybody listens to events.
    #[must_use]
    pub fn has_events(&self) -> bool {
        !self.run.sinks.is_empty() || self.run.recorder.is_some()
    }

    /// Whether the host listens; the runtime's own recorder doesn't count.
    pub(crate) fn has_sinks(&self) -> bool {
        !self.run.sinks.is_empty()
    }

    /// Hands an event to every sink; in the context of a call that has ended, to none.
    pub fn emit(&self, event: AgentEvent) {
        self.call.emit(&self.run, event);
    }

    /// Hands an event to every sink; it isn't even made when nobody listens.
    pub fn emit_with(&self, event: impl FnOnce() -> AgentEvent) {
        if self.has_events() {
            self.emit(event());
        }
    }

    /// Emits an [`AgentEvent::Custom`].
    pub fn custom(&self, data: Value) {
        self.emit_with(|| AgentEvent::Custom {
            call_id: self.call.id_text(),
            tool_name: self.call.tool_text(),
            data,
        });
    }

    /// What this call, or the host outside of one, keeps from call to call: the part of the run's store that belongs to
    /// the conversation and the tool. Without a thread id it belongs to the run.
    #[must_use]
    pub fn store(&self) -> &Arc<dyn Store> {
        self.own_store()
    }

    /// Where content goes that is too large or too binary for a row, if there is such a store.
    #[must_use]
    pub fn artifact_store(&self) -> Option<&Arc<dyn ArtifactStore>> {
        self.run.artifacts.as_ref()
    }
}

impl Default for RunContext {
    fn default() -> Self {
        Self::new()
    }
}

impl Clone for RunContext {
    fn clone(&self) -> Self {
        Self {
            run: Arc::clone(&self.run),
            call: self.call.clone(),
            state: self.state.clone(),
            catalogue: self.catalogue.clone(),
            call_cancellation: self.call_cancellation.clone(),
            handles: OnceLock::new(),
        }
    }
}

impl fmt::Debug for RunContext {
    /// Shows ids and counts alone: what a host provides may be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunContext")
            .field("run_id", &self.run.run_id)
            .field("thread_id", &self.run.thread_id)
            .field("call_id", &self.call.origin)
            .field("tool_name", &self.call.tool_name())
            .field("depth", &self.run.depth)
            .field("provided", &(self.run.values.len() / 2))
            .finish_non_exhaustive()
    }
}
