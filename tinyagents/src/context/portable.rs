//! The context as a tool sees it that knows `tinytools` alone, and what it offers by type.

use std::any::{Any, TypeId};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use tinytools::{ToolProgress, ToolRunContext, WorkspaceDescriptor};
use tokio_util::sync::CancellationToken;

use super::{
    Budget, CallId, EventEmitter, IdempotencyKey, RunContext, RunId, StreamWriter, ThreadId,
};
use crate::artifacts::ArtifactStore;
use crate::store::Store;

impl RunContext {
    /// Whether a call of this run could be given a value of that type.
    ///
    /// Before any call has begun it is true for what only a call has, such as [`CallId`]. A host checks every
    /// registered tool with it before a run starts.
    #[must_use]
    pub fn offers(&self, type_id: TypeId) -> bool {
        type_id == TypeId::of::<CallId>()
            || type_id == TypeId::of::<dyn ToolRunContext>()
            || self.get(type_id).is_some()
    }

    /// Whether that is something of the call alone, and not of its run.
    pub(super) fn is_of_call(type_id: TypeId) -> bool {
        [
            TypeId::of::<Self>(),
            TypeId::of::<CallId>(),
            TypeId::of::<CancellationToken>(),
            TypeId::of::<EventEmitter>(),
            TypeId::of::<StreamWriter>(),
            TypeId::of::<Arc<dyn Store>>(),
        ]
        .contains(&type_id)
    }

    /// What every run offers; the host can't replace it.
    fn intrinsic(&self, type_id: TypeId) -> Option<&(dyn Any + Send + Sync)> {
        let is = |other: TypeId| type_id == other;
        if is(TypeId::of::<Self>()) {
            return Some(self);
        }
        if is(TypeId::of::<RunId>()) {
            return Some(&self.run.run_id);
        }
        if is(TypeId::of::<CallId>()) {
            return self.call_id().map(|id| id as _);
        }
        if is(TypeId::of::<ThreadId>()) {
            return self.run.thread_id.as_ref().map(|id| id as _);
        }
        if is(TypeId::of::<CancellationToken>()) {
            return Some(self.cancellation_token());
        }
        if is(TypeId::of::<EventEmitter>()) {
            return Some(&self.writer().emitter);
        }
        if is(TypeId::of::<StreamWriter>()) {
            return Some(self.writer());
        }
        if is(TypeId::of::<WorkspaceDescriptor>()) {
            return self.run.workspace.as_ref().map(|workspace| workspace as _);
        }
        if is(TypeId::of::<Budget>()) {
            return Some(&self.run.budget);
        }
        // A hidden `&dyn Store` is looked for as its `Arc`, too.
        if is(TypeId::of::<Arc<dyn Store>>()) {
            return Some(self.store());
        }
        if is(TypeId::of::<Arc<dyn ArtifactStore>>()) {
            return self.artifact_store().map(|store| store as _);
        }
        None
    }
}

impl ToolRunContext for RunContext {
    fn run_id(&self) -> Option<&str> {
        Some(self.run.run_id.as_str())
    }

    fn thread_id(&self) -> Option<&str> {
        self.run.thread_id.as_ref().map(ThreadId::as_str)
    }

    fn call_id(&self) -> Option<&str> {
        self.call.id()
    }

    fn idempotency_key(&self) -> Option<&str> {
        match self.call.idempotency_key.as_ref()? {
            IdempotencyKey::Known(text) => Some(text),
            IdempotencyKey::OfMade | IdempotencyKey::OfChanged(_) => self.hashed_key(),
        }
    }

    fn workspace(&self) -> Option<&WorkspaceDescriptor> {
        self.run.workspace.as_ref()
    }

    fn max_turn_output_tokens(&self) -> Option<u64> {
        self.run.budget.max_turn_output_tokens()
    }

    fn remaining_tool_calls(&self) -> Option<u64> {
        self.run.budget.remaining_tool_calls()
    }

    fn is_cancelled(&self) -> bool {
        Self::is_cancelled(self)
    }

    fn cancelled(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(Self::cancelled(self))
    }

    fn is_approved(&self) -> bool {
        self.call.is_approved
    }

    fn report_progress(&self, progress: ToolProgress) {
        if self.has_events() || self.call.watcher.is_some() {
            self.writer().progress(progress);
        }
    }

    fn host_extension(&self) -> Option<&(dyn Any + Send + Sync)> {
        self.run.host_extension.as_deref()
    }

    fn get(&self, type_id: TypeId) -> Option<&(dyn Any + Send + Sync)> {
        self.intrinsic(type_id)
            .or_else(|| self.state.as_ref()?.get(type_id))
            .or_else(|| self.run.values.get(type_id))
    }
}
