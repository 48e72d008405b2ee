//! What the dispatch of calls notes in a context and asks of it.

use std::sync::{Arc, OnceLock, PoisonError};

use tokio_util::sync::CancellationToken;

use super::{AgentDefinition, CallOrigin, IdempotencyKey, RunContext};
#[cfg(feature = "mcp")]
use super::{ProgressWatcher, WatchProgress};
use crate::admission::Requested;
use crate::dispatch::RunMeter;
use crate::effects::{LedgerFailure, ToolEffectLedger};
use crate::events::AgentEvent;
use crate::harness::{AgentRun, HostCapabilities, RunLimits};
use crate::model::ToolSchema;
use crate::registry::{RegisteredTool, rest};
use crate::timeline::Recorder;
use crate::toolset::RunTools;

impl RunContext {
    /// The same run in the context of a call that a model has made.
    #[inline]
    pub(crate) fn for_made(&self, call: Requested<'_>) -> Self {
        self.in_call(CallOrigin::Made(Arc::clone(call.batch), call.position()))
    }

    /// Sets what is known of a call once it is admitted: the canonical name of its tool, and the key that stays the same
    /// when the call is run again.
    pub(crate) fn enter(&mut self, tool_name: &Arc<str>, key: IdempotencyKey) {
        self.handles = OnceLock::new();
        self.call.set_tool_name(tool_name);
        self.call.idempotency_key = Some(key);
    }

    /// Says whether a person has approved this call as it is.
    pub(crate) fn set_approved(&mut self, is_approved: bool) {
        self.handles = OnceLock::new();
        self.call.is_approved = is_approved;
    }

    /// Lets this call alone be given up; the token has to be a child of [`cancellation_token`](Self::cancellation_token).
    #[must_use]
    pub(crate) fn with_call_cancellation(mut self, token: CancellationToken) -> Self {
        self.call_cancellation = Some(token);
        self
    }

    /// Lets somebody follow this call alone, and whatever is begun in it.
    #[cfg(feature = "mcp")]
    #[must_use]
    pub(crate) fn with_watcher(mut self, watcher: Arc<dyn WatchProgress>) -> Self {
        self.handles = OnceLock::new();
        self.call.watcher = Some(ProgressWatcher(watcher));
        self
    }

    /// Begins the run if it has not begun yet; the bound of these limits on its time holds from its beginning.
    pub(crate) fn begin(&self, limits: &RunLimits) {
        self.run.budget.clock.begin(limits.wall_clock);
    }

    /// The agent's name, where a definition gives it one.
    pub(crate) fn agent_name(&self) -> Option<&str> {
        let name = self.definition()?.name.as_str();
        (!name.is_empty()).then_some(name)
    }

    /// Whether the run has this credential, or nobody has said which it has.
    pub(crate) fn has_credential(&self, name: &str) -> bool {
        let known = self.run.credentials.as_ref();
        known.is_none_or(|known| known.contains(name))
    }

    /// Whether the run is bound to any definition.
    pub(crate) fn has_definition(&self) -> bool {
        !self.run.definitions.is_empty()
    }

    /// The definition whose list lacks the tool.
    pub(crate) fn definition_without(
        &self,
        tool_name: &str,
        capabilities: HostCapabilities,
    ) -> Option<&AgentDefinition> {
        let is_fail_closed = capabilities.fail_closed_tool_allowlist;
        let mut definitions = self.run.definitions.iter();
        let held = definitions.find(|held| !held.allows(tool_name, is_fail_closed))?;
        Some(&held.definition)
    }

    /// Whether the context knows the tools of the turn.
    pub(crate) fn knows_tools(&self) -> bool {
        self.catalogue.is_some()
    }

    /// The tool of that canonical name, in the hooks of middlewares.
    pub(crate) fn registered_tool(&self, name: &str) -> Option<&RegisteredTool> {
        let catalogue = self.catalogue.as_ref()?;
        let called = self
            .call
            .called
            .as_ref()
            .and_then(|called| catalogue.get(called));
        let called = called.filter(|tool| tool.name() == name);
        called
            .or_else(|| catalogue.by_identity(name))
            .map(AsRef::as_ref)
    }

    /// The canonical name of the tool that a model is shown under this one.
    pub(crate) fn real_name<'n>(&'n self, shown: &'n str) -> &'n str {
        let tool = self
            .catalogue
            .as_ref()
            .and_then(|catalogue| catalogue.get(shown));
        tool.map_or(shown, |tool| tool.name())
    }

    /// A list of schemas without those at some positions, which are sorted; for the tools of the turn copied only when it
    /// is first asked for.
    pub(crate) fn without_schemas(
        &self,
        schemas: &Arc<[ToolSchema]>,
        hidden: &[usize],
    ) -> Arc<[ToolSchema]> {
        match &self.catalogue {
            Some(catalogue) => catalogue.without(schemas, hidden),
            None => rest(schemas, hidden),
        }
    }

    /// Notes which tool a call is of, by the name that a model calls it by.
    pub(super) fn set_called(&mut self, tool: &RegisteredTool) {
        self.call.called = Some(Arc::clone(tool.shared_shown_name()));
    }

    pub(crate) fn called(&self) -> Option<&str> {
        self.call.called.as_deref()
    }

    pub(crate) fn effect_ledger(&self) -> Option<&Arc<dyn ToolEffectLedger>> {
        self.run.effect_ledger.as_ref()
    }

    pub(crate) fn effect_ledger_failure(&self) -> LedgerFailure {
        self.run.effect_ledger_failure
    }

    pub(crate) fn meter(&self) -> &RunMeter {
        &self.run.budget.meter
    }

    pub(crate) fn run_tools(&self) -> &RunTools {
        &self.run.tools
    }

    /// Keeps the run up to its failure, for every clone of this context.
    pub(crate) fn keep_failed_run(&self, run: AgentRun) {
        let mut kept = self
            .run
            .failed_run
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *kept = Some(run);
    }

    /// What keeps the times of the run's calls.
    pub(crate) fn recorder(&self) -> Option<&Recorder> {
        self.run.recorder.as_deref()
    }

    /// Emits the terminal event of a call; what its body still has to say after that is dropped.
    pub(crate) fn emit_last(&self, event: impl FnOnce() -> AgentEvent) {
        if let Some(gate) = &self.call.gate {
            gate.close();
        }
        if self.has_events() {
            self.run.emit(event());
        }
    }
}
