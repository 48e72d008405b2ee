//! The narrow seam onto a live run.

use std::any::{Any, TypeId};
use std::future::Future;
use std::pin::Pin;

use serde::{Deserialize, Serialize};

use crate::WorkspaceDescriptor;

/// What a tool may know of the run it is called in.
///
/// A host implements it on its own context; every method has a default, so a host offers only what it has. A tool
/// receives it as a hidden parameter: `#[hidden] ctx: &dyn ToolRunContext`.
pub trait ToolRunContext: Send + Sync {
    /// The run's id. Default: none.
    fn run_id(&self) -> Option<&str> {
        None
    }

    /// The conversation's id. Default: none.
    fn thread_id(&self) -> Option<&str> {
        None
    }

    /// The id of this call. Default: none.
    fn call_id(&self) -> Option<&str> {
        None
    }

    /// A key that stays the same when this call is run again; hand it to services that know idempotency keys.
    /// Default: none.
    fn idempotency_key(&self) -> Option<&str> {
        None
    }

    /// The part of the file system the run may touch. Default: none.
    fn workspace(&self) -> Option<&WorkspaceDescriptor> {
        None
    }

    /// The workspace's directory. Default: the one of [`workspace`](Self::workspace).
    fn workspace_root(&self) -> Option<&std::path::Path> {
        self.workspace().map(|workspace| workspace.root.as_path())
    }

    /// Tokens the model may still write this turn. Default: unknown.
    fn max_turn_output_tokens(&self) -> Option<u64> {
        None
    }

    /// Tool calls the run may still make. Default: unknown.
    fn remaining_tool_calls(&self) -> Option<u64> {
        None
    }

    /// Whether the run has been cancelled. Default: `false`.
    fn is_cancelled(&self) -> bool {
        false
    }

    /// Resolves when the run is cancelled. Default: never.
    fn cancelled(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(std::future::pending())
    }

    /// Whether a person has approved this very call with these very arguments. Default: `false`.
    fn is_approved(&self) -> bool {
        false
    }

    /// Tells the host how far the call is. Default: dropped.
    fn report_progress(&self, progress: ToolProgress) {
        let _ = progress;
    }

    /// Data of the host's own. Default: none.
    fn host_extension(&self) -> Option<&(dyn Any + Send + Sync)> {
        None
    }

    /// The value of the given type that the host provided, behind its type-erased form. Default: none.
    fn get(&self, type_id: TypeId) -> Option<&(dyn Any + Send + Sync)> {
        let _ = type_id;
        None
    }
}

impl dyn ToolRunContext + '_ {
    /// The `T` that the host provided.
    #[must_use]
    pub fn get_ref<T: Any + Send + Sync>(&self) -> Option<&T> {
        self.get(TypeId::of::<T>())?.downcast_ref()
    }
}

impl std::fmt::Debug for dyn ToolRunContext + '_ {
    /// Shows the ids alone: what a host provides may be secret.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ToolRunContext")
            .field("run_id", &self.run_id())
            .field("call_id", &self.call_id())
            .finish_non_exhaustive()
    }
}

/// How far a call is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ToolProgress {
    /// What is being done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// How much is done, in any unit; it only grows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<f64>,
    /// How much there is, in the same unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<f64>,
}

impl ToolProgress {
    /// Says what is being done.
    pub fn message(message: impl Into<String>) -> Self {
        Self {
            message: Some(message.into()),
            ..Self::default()
        }
    }

    /// Says that `progress` of `total` is done.
    #[must_use]
    pub fn of(progress: f64, total: f64) -> Self {
        Self {
            message: None,
            progress: Some(progress),
            total: Some(total),
        }
    }

    /// Adds what is being done.
    #[must_use]
    pub fn with_message(mut self, message: impl Into<String>) -> Self {
        self.message = Some(message.into());
        self
    }
}
