//! How a context is built.

use std::any::Any;
use std::borrow::Borrow;
use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tinytools::WorkspaceDescriptor;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::agent_definition::HeldDefinition;
use super::run_state::Held;
use super::{AgentDefinition, IdempotencyKey, RunContext, RunId, RunPart, ThreadId, workspace};
use crate::artifacts::ArtifactStore;
use crate::effects::{LedgerFailure, ToolEffectLedger};
use crate::events::EventSink;
use crate::harness::{HostCapabilities, RunLimits};
use crate::middleware::MiddlewareStack;
use crate::registry::Catalogue;
use crate::store::Store;
use crate::timeline::Recorder;

/// Building: each method changes this value alone; clones made earlier keep what they had.
impl RunContext {
    pub(super) fn change(mut self, change: impl FnOnce(&mut RunPart)) -> Self {
        // First the handles: they share the run's part, which would then be copied without need.
        self.handles = OnceLock::new();
        change(Arc::make_mut(&mut self.run));
        self
    }

    /// Sets the run's id. Default: [`RunId::generate`].
    #[must_use]
    pub fn with_run_id(mut self, run_id: impl Into<RunId>) -> Self {
        let key = self.hashed_key().map(str::to_owned);
        // A call's key is made of the run that it was dispatched in, whoever asks for it first.
        if let Some(key) = key {
            self.call.idempotency_key = Some(IdempotencyKey::own(key));
        }
        self.change(|run| run.run_id = run_id.into())
    }

    /// Sets the conversation's id.
    #[must_use]
    pub fn with_thread_id(self, thread_id: impl Into<ThreadId>) -> Self {
        self.change(|run| run.thread_id = Some(thread_id.into()))
    }

    /// Sets the part of the file system the run may touch.
    ///
    /// In a child it must lie in the parent's: trusted roots outside are dropped, a root outside leaves a workspace
    /// that allows nothing, and a sandbox that the parent requires stays required.
    #[must_use]
    pub fn with_workspace(self, descriptor: WorkspaceDescriptor) -> Self {
        self.change(|run| {
            run.workspace = Some(match &run.outer_workspace {
                Some(outer) => workspace::narrowed(outer, descriptor),
                None => descriptor,
            });
        })
    }

    /// Says by name which credentials this run has, instead of what was said before; in a child those alone count that
    /// its parent has, too.
    ///
    /// Where this was said, a run or dispatch fails before any call with
    /// [`MissingCredential`](crate::TinyAgentsError::MissingCredential) if a tool names another one in its policy's
    /// `credentials`, even a tool that nobody calls: as for hidden values. Default: nothing is said, and nothing checked.
    ///
    /// ```
    /// use tinyagents::RunContext;
    ///
    /// let ctx = RunContext::new().with_credentials(["GITHUB_TOKEN"]);
    /// ```
    #[must_use]
    pub fn with_credentials<N: Into<String>>(self, names: impl IntoIterator<Item = N>) -> Self {
        let mut names: BTreeSet<String> = names.into_iter().map(Into::into).collect();
        self.change(|run| {
            if let Some(outer) = &run.outer_credentials {
                names.retain(|name| outer.contains(name));
            }
            run.credentials = Some(Arc::new(names));
        })
    }

    /// Binds the run to an agent's definition: only tools in its list are shown and run.
    ///
    /// Where there are several, a child's and its parent's for example, a tool must be in the list of each. What a
    /// definition without tools means is up to the [`HostCapabilities`] of whoever runs it. Default: no definition, and
    /// so no list.
    #[must_use]
    pub fn with_definition(self, definition: AgentDefinition) -> Self {
        self.change(|run| {
            run.definitions.push(HeldDefinition {
                definition: Arc::new(definition),
                is_fail_closed: None,
            });
        })
    }

    /// Fixes what definitions without tools mean, so that a child in another host can't widen them.
    #[must_use]
    fn settle_definitions(self, capabilities: HostCapabilities) -> Self {
        let mut definitions = self.run.definitions.iter();
        if definitions.all(|held| held.is_fail_closed.is_some()) {
            return self;
        }
        self.change(|run| {
            for held in &mut run.definitions {
                held.is_fail_closed
                    .get_or_insert(capabilities.fail_closed_tool_allowlist);
            }
        })
    }

    /// Binds the context to whoever dispatches in it; every dispatch begins with it.
    #[must_use]
    pub(crate) fn hosted(
        self,
        capabilities: HostCapabilities,
        middleware: &MiddlewareStack,
        catalogue: &Arc<Catalogue>,
    ) -> Self {
        let hosted = self.settle_definitions(capabilities);
        if middleware.is_empty() {
            return hosted;
        }
        hosted.with_catalogue(catalogue)
    }

    /// Whether [`hosted`](Self::hosted) by whoever has this state and these middlewares, it would be as it is.
    pub(crate) fn is_hosted<S: Any>(&self, state: &S, middleware: &MiddlewareStack) -> bool {
        let mut definitions = self.run.definitions.iter();
        says_nothing(state)
            && middleware.is_empty()
            && definitions.all(|held| held.is_fail_closed.is_some())
    }

    /// Lets the hooks of middlewares look at the tools themselves.
    #[must_use]
    pub(crate) fn with_catalogue(mut self, catalogue: &Arc<Catalogue>) -> Self {
        self.catalogue = Some(Arc::clone(catalogue));
        self
    }

    /// Lets them look at the tools of this turn instead.
    pub(crate) fn set_catalogue(&mut self, catalogue: &Arc<Catalogue>) {
        if self.catalogue.is_some() {
            self.catalogue = Some(Arc::clone(catalogue));
        }
    }

    /// Narrows the run's limits, bound by bound.
    #[must_use]
    pub fn with_limits(self, limits: impl Borrow<RunLimits>) -> Self {
        self.change(|run| run.budget.narrow_limits(limits.borrow()))
    }

    /// Lets the run be cancelled by this token too. Cancelling the run doesn't cancel the token.
    #[must_use]
    pub fn with_cancellation(mut self, token: impl Borrow<CancellationToken>) -> Self {
        let call = self.call_cancellation.take();
        self.change(|run| {
            let token = token.borrow().child_token();
            let earlier = std::mem::replace(&mut run.cancellation, token);
            run.outer_cancellation.push(earlier);
            run.outer_cancellation.extend(call);
        })
    }

    /// Ends the run at this moment; an earlier deadline stays.
    #[must_use]
    pub fn with_deadline(self, deadline: impl Into<Instant>) -> Self {
        self.change(|run| run.budget.narrow_deadline(deadline.into()))
    }

    /// Ends the run after this time from now; an earlier deadline stays. Longer than the clock can tell is no deadline.
    #[must_use]
    pub fn with_timeout(self, timeout: Duration) -> Self {
        match Instant::now().checked_add(timeout) {
            Some(deadline) => self.with_deadline(deadline),
            None => self,
        }
    }

    /// Brings tools into the requests that had been found in an earlier run; those that may not be found now stay
    /// out. A harness reads them out of the transcript itself.
    #[must_use]
    pub fn with_promoted_tools<N: AsRef<str>>(self, names: impl IntoIterator<Item = N>) -> Self {
        for name in names {
            self.run.tools.promote([name.as_ref()]);
        }
        self
    }

    /// Bounds the tokens of each answer of the model; a lower bound stays.
    #[must_use]
    pub fn with_max_turn_output_tokens(self, tokens: u64) -> Self {
        self.change(|run| run.budget.narrow_output_tokens(tokens))
    }

    /// Adds a sink for the run's events.
    #[must_use]
    pub fn with_events(self, sink: impl EventSink + 'static) -> Self {
        self.change(|run| run.sinks.push(Arc::new(sink)))
    }

    /// Sets where tools keep values from call to call; each sees the part of its conversation and itself alone.
    /// Default: a [`MemoryStore`](crate::MemoryStore) of the run's own, which its children share.
    #[must_use]
    pub fn with_store(self, store: impl Store + 'static) -> Self {
        self.change(|run| run.store = Arc::new(store))
    }

    /// Sets where content goes that is too large or too binary for a row. Default: none, and what is over a bound is cut.
    #[must_use]
    pub fn with_artifact_store(self, store: impl ArtifactStore + 'static) -> Self {
        self.change(|run| run.artifacts = Some(Arc::new(store)))
    }

    /// Attaches the ledger that keeps account of effects, or an `Arc` of one that others use too; see
    /// [`effects`](crate::effects). Default: none.
    #[must_use]
    pub fn with_tool_effect_ledger(self, ledger: impl ToolEffectLedger + 'static) -> Self {
        self.change(|run| run.effect_ledger = Some(Arc::new(ledger)))
    }

    /// Sets what becomes of a call whose start can't be recorded. Default: [`LedgerFailure::Abort`]; in a child of a
    /// run that has a ledger, its `Abort` stays.
    #[must_use]
    pub fn with_tool_effect_ledger_failure(self, failure: LedgerFailure) -> Self {
        self.change(|run| {
            let is_bound = run.depth > 0 && run.effect_ledger.is_some();
            if !(is_bound && run.effect_ledger_failure == LedgerFailure::Abort) {
                run.effect_ledger_failure = failure;
            }
        })
    }

    /// Adds a tag, for the host's own use.
    #[must_use]
    pub fn with_tag(self, tag: impl Into<String>) -> Self {
        self.change(|run| run.tags.push(tag.into()))
    }

    /// Provides a value to the hidden parameters of its type: `&T`, `Arc<T>`, and `T` where it is `Clone`.
    ///
    /// A later value of the same type replaces it. Provide an `Arc<dyn X>` with this method too, for parameters that are
    /// written `&dyn X` or `Arc<dyn X>`:
    ///
    /// ```
    /// use std::sync::Arc;
    /// use tinyagents::{RunContext, tool};
    ///
    /// trait Db: Send + Sync {
    ///     fn count(&self) -> u64;
    /// }
    /// struct Memory;
    /// impl Db for Memory {
    ///     fn count(&self) -> u64 {
    ///         3
    ///     }
    /// }
    ///
    /// /// Counts the rows.
    /// #[tool(read_only)]
    /// fn count(#[hidden] db: &dyn Db) -> u64 {
    ///     db.count()
    /// }
    ///
    /// let db: Arc<dyn Db> = Arc::new(Memory);
    /// let ctx = RunContext::new().provide(db);
    /// assert!(ctx.value::<Arc<dyn Db>>().is_some());
    /// ```
    #[must_use]
    pub fn provide<T: Any + Send + Sync>(self, value: T) -> Self {
        self.provide_arc(Arc::new(value))
    }

    /// Provides a value that is shared already; otherwise as [`provide`](Self::provide), which is also the one for an
    /// `Arc<dyn X>`: of a trait object there is no value to lend, and the `Arc` itself is what its parameters take.
    #[must_use]
    pub fn provide_arc<T: Any + Send + Sync>(self, value: Arc<T>) -> Self {
        self.change(|run| run.values.insert(value))
    }

    /// Sets what [`ToolRunContext::host_extension`](tinytools::ToolRunContext::host_extension) gives.
    #[must_use]
    pub fn with_host_extension<T: Any + Send + Sync>(self, extension: T) -> Self {
        self.change(|run| run.host_extension = Some(Arc::new(extension)))
    }

    /// Sets what keeps the times of the run's calls.
    #[must_use]
    pub(crate) fn with_recorder(self, recorder: Arc<Recorder>) -> Self {
        self.change(|run| run.recorder = Some(recorder))
    }

    /// Sets the state of the harness or the dispatcher; it comes before a provided value of the same type.
    #[must_use]
    pub(crate) fn with_state<S: Any + Send + Sync>(mut self, state: S) -> Self {
        if !says_nothing(&state) {
            self.state = Some(Arc::new(Held(Arc::new(state))));
        }
        self
    }
}

/// Whether the state is one that is everywhere.
fn says_nothing<S: Any>(state: &S) -> bool {
    (state as &dyn Any).is::<()>()
}
