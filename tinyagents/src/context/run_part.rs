//! The part of a context that all calls of a run share.

use std::any::Any;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use tinytools::WorkspaceDescriptor;
use tokio_util::sync::CancellationToken;

use super::agent_definition::HeldDefinition;
use super::{Budget, RunId, ThreadId, Values};
use crate::artifacts::ArtifactStore;
use crate::effects::{LedgerFailure, ToolEffectLedger};
use crate::events::{AgentEvent, EventSink};
use crate::harness::AgentRun;
use crate::store::{MemoryStore, Store};
use crate::timeline::Recorder;
use crate::toolset::RunTools;

/// What all calls of a run share. Changing it copies it, unless nobody else has it yet.
#[derive(Clone)]
pub(super) struct RunPart {
    pub(super) run_id: RunId,
    pub(super) parent_run_id: Option<RunId>,
    pub(super) thread_id: Option<ThreadId>,
    pub(super) workspace: Option<WorkspaceDescriptor>,
    /// The parent's workspace, which a child's must lie in.
    pub(super) outer_workspace: Option<WorkspaceDescriptor>,
    /// Names of the credentials that the run has; `None` where nobody has said.
    pub(super) credentials: Option<Arc<BTreeSet<String>>>,
    /// The parent's, which a child's must be among.
    pub(super) outer_credentials: Option<Arc<BTreeSet<String>>>,
    /// A tool must be allowed by all of them; a child's begin with its parent's.
    pub(super) definitions: Vec<HeldDefinition>,
    pub(super) budget: Budget,
    /// The token that tools are given; cancelling the run cancels it.
    pub(super) cancellation: CancellationToken,
    /// Tokens that were there before: the run is cancelled by any of them too.
    pub(super) outer_cancellation: Vec<CancellationToken>,
    pub(super) sinks: Vec<Arc<dyn EventSink>>,
    /// What keeps the times of the run's calls; a child has one of its own.
    pub(super) recorder: Option<Arc<Recorder>>,
    pub(super) effect_ledger: Option<Arc<dyn ToolEffectLedger>>,
    pub(super) effect_ledger_failure: LedgerFailure,
    /// The run waited, and had a ledger before that.
    pub(super) had_effect_ledger: bool,
    pub(super) tags: Vec<String>,
    pub(super) depth: u32,
    pub(super) values: Values,
    /// The whole store; tools are given their part of it.
    pub(super) store: Arc<dyn Store>,
    pub(super) artifacts: Option<Arc<dyn ArtifactStore>>,
    pub(super) host_extension: Option<Arc<dyn Any + Send + Sync>>,
    pub(super) tools: Arc<RunTools>,
    /// The lock is held for a move or a clone, never across an await.
    pub(super) failed_run: Arc<Mutex<Option<AgentRun>>>,
}

impl RunPart {
    pub(super) fn new() -> Self {
        Self {
            run_id: RunId::generate(),
            parent_run_id: None,
            thread_id: None,
            workspace: None,
            outer_workspace: None,
            credentials: None,
            outer_credentials: None,
            definitions: Vec::new(),
            budget: Budget::default(),
            cancellation: CancellationToken::new(),
            outer_cancellation: Vec::new(),
            sinks: Vec::new(),
            recorder: None,
            effect_ledger: None,
            effect_ledger_failure: LedgerFailure::default(),
            had_effect_ledger: false,
            tags: Vec::new(),
            depth: 0,
            values: Values::default(),
            store: Arc::new(MemoryStore::new()),
            artifacts: None,
            host_extension: None,
            tools: Arc::default(),
            failed_run: Arc::default(),
        }
    }

    /// The same run's part for a child of it, which ends with the given token.
    pub(super) fn child(&self, cancellation: CancellationToken) -> Self {
        Self {
            run_id: RunId::generate(),
            parent_run_id: Some(self.run_id.clone()),
            outer_workspace: self
                .workspace
                .clone()
                .or_else(|| self.outer_workspace.clone()),
            outer_credentials: self.credentials.clone(),
            budget: self.budget.child(),
            cancellation,
            depth: self.depth.saturating_add(1),
            tools: Arc::default(),
            failed_run: Arc::default(),
            recorder: None,
            ..self.clone()
        }
    }

    pub(super) fn emit(&self, event: AgentEvent) {
        if let Some(recorder) = &self.recorder {
            recorder.note(&event);
        }
        if let Some((last, others)) = self.sinks.split_last() {
            for sink in others {
                sink.emit(&self.run_id, event.clone());
            }
            last.emit(&self.run_id, event);
        }
    }

    /// Whether any of the tokens is cancelled; the one that tools have then is, too.
    pub(super) fn is_cancelled(&self) -> bool {
        if self.cancellation.is_cancelled() {
            return true;
        }
        let is_cancelled = self
            .outer_cancellation
            .iter()
            .any(CancellationToken::is_cancelled);
        if is_cancelled {
            self.cancellation.cancel();
        }
        is_cancelled
    }

    /// Resolves when any of the tokens is cancelled; the one that tools have then is, too.
    pub(super) async fn cancelled(&self) {
        if self.outer_cancellation.is_empty() {
            return self.cancellation.cancelled().await;
        }
        let outer = self.outer_cancellation.iter();
        let outer = futures::future::select_all(outer.map(|token| Box::pin(token.cancelled())));
        tokio::select! {
            () = self.cancellation.cancelled() => {}
            _ = outer => self.cancellation.cancel(),
        }
    }
}
