//! What a tool declares of its effects and needs, for a host to enforce.

use serde::{Deserialize, Serialize};

use crate::{SandboxMode, ToolTimeout};

/// Everything a tool declares of itself that a host can act on.
///
/// The default is *unclassified*: nothing is known of the tool, and a strict host refuses it. Every missing field
/// deserializes to its default, so a policy written by another version can be read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ToolPolicy {
    /// Whether the author has stated the tool's effects at all. Default: `false`.
    pub classified: bool,
    /// What a call does to the world.
    pub side_effects: ToolSideEffects,
    /// How a call is to be run.
    pub runtime: ToolRuntime,
    /// What a call needs access to.
    pub access: ToolAccess,
    /// How a call is shown to a person.
    pub display: ToolDisplay,
}

impl ToolPolicy {
    /// A classified tool with no effects declared.
    #[must_use]
    pub fn classified() -> Self {
        Self {
            classified: true,
            ..Self::default()
        }
    }

    /// A classified tool that only reads: it may therefore be repeated, run in the background, and replayed.
    #[must_use]
    pub fn read_only() -> Self {
        let mut policy = Self::classified();
        policy.side_effects.read_only = true;
        policy.runtime.idempotent = true;
        policy.runtime.replay = ToolReplay::Safe;
        policy.access.background_safe = true;
        policy
    }

    /// Replaces the side effects and marks the policy as classified.
    #[must_use]
    pub fn with_side_effects(mut self, side_effects: ToolSideEffects) -> Self {
        self.classified = true;
        self.side_effects = side_effects;
        self
    }

    /// Replaces how a call is to be run.
    #[must_use]
    pub fn with_runtime(mut self, runtime: ToolRuntime) -> Self {
        self.runtime = runtime;
        self
    }

    /// Replaces what a call needs access to.
    #[must_use]
    pub fn with_access(mut self, access: ToolAccess) -> Self {
        self.access = access;
        self
    }

    /// Replaces how a call is shown.
    #[must_use]
    pub fn with_display(mut self, display: ToolDisplay) -> Self {
        self.display = display;
        self
    }

    /// Demands that a person approves each call, which also rules out running it in the background.
    #[must_use]
    pub fn requiring_approval(mut self) -> Self {
        self.access.approval_required = true;
        self.access.background_safe = false;
        self
    }

    /// Whether any effect beyond reading is declared.
    #[must_use]
    pub fn has_side_effects(&self) -> bool {
        let ToolSideEffects {
            read_only: _,
            writes_files,
            network,
            installs_dependencies,
            runs_processes,
            destructive,
            external_service,
            payment,
        } = self.side_effects;
        writes_files
            || network
            || installs_dependencies
            || runs_processes
            || destructive
            || external_service
            || payment
    }
}

/// What a call does to the world. Every field defaults to `false`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts, each with a wire name"
)]
pub struct ToolSideEffects {
    /// Changes nothing.
    pub read_only: bool,
    /// Creates or changes files.
    pub writes_files: bool,
    /// Uses the network.
    pub network: bool,
    /// Installs software.
    pub installs_dependencies: bool,
    /// Starts processes.
    pub runs_processes: bool,
    /// Destroys what can't be brought back.
    pub destructive: bool,
    /// Changes something at a service outside the machine.
    pub external_service: bool,
    /// Spends money.
    pub payment: bool,
}

/// How a call is to be run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ToolRuntime {
    /// The sandbox a call needs. Default: `Inherit`.
    pub sandbox: SandboxMode,
    /// Longest result, in bytes, that goes to the model. Default: no bound of its own.
    pub max_result_bytes: Option<u64>,
    /// Longest time one attempt may take, in milliseconds. Default: the host's. It ends an attempt where that awaits; a
    /// tool that blocks its thread must say so with `is_blocking`.
    pub timeout_ms: Option<u64>,
    /// Overrides `timeout_ms` with `Unbounded` or another bound. Default: not set.
    pub timeout: Option<ToolTimeout>,
    /// How often a failed attempt may be repeated; honoured only for idempotent or read-only tools. Default: 0.
    pub max_retries: u32,
    /// Running a call twice has the effect of running it once. Default: `false`.
    pub idempotent: bool,
    /// A started call may be dropped when the run is cancelled. Default: `true`.
    pub cancelable: bool,
    /// Reports partial output while it runs. Default: `false`.
    pub streaming: bool,
    /// Whether an interrupted call may be run again. Default: `Never`.
    pub replay: ToolReplay,
}

impl ToolRuntime {
    /// The bound on one attempt: `timeout`, else `timeout_ms`, else `Inherit`.
    #[must_use]
    pub fn timeout_policy(&self) -> ToolTimeout {
        self.timeout
            .or(self.timeout_ms.map(ToolTimeout::Millis))
            .unwrap_or_default()
    }
}

impl Default for ToolRuntime {
    fn default() -> Self {
        Self {
            sandbox: SandboxMode::Inherit,
            max_result_bytes: None,
            timeout_ms: None,
            timeout: None,
            max_retries: 0,
            idempotent: false,
            cancelable: true,
            streaming: false,
            replay: ToolReplay::Never,
        }
    }
}

/// What a call needs access to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ToolAccess {
    /// How much of the file system. Default: `None`.
    pub workspace: WorkspaceAccess,
    /// Directories that a scoped tool may touch beside the workspace. Default: none.
    pub trusted_roots: Vec<String>,
    /// Names of credentials that must be there. Default: none.
    pub credentials: Vec<String>,
    /// A person must approve each call. Default: `false`.
    pub approval_required: bool,
    /// May run while nobody watches. Default: `false`.
    pub background_safe: bool,
    /// Names of arguments whose values a host must not log. Default: none.
    pub redact: Vec<String>,
}

/// How a call is shown to a person.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ToolDisplay {
    /// A name for people. Default: made from the tool's name.
    pub label: Option<String>,
    /// A short text beside the label. Default: made from the arguments.
    pub detail: Option<String>,
}

/// How much of the file system a tool touches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum WorkspaceAccess {
    /// None of it.
    #[default]
    None,
    /// The run's workspace and the trusted roots.
    Scoped,
    /// Any path.
    Any,
}

/// Whether an interrupted call may be run again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ToolReplay {
    /// It must not: its effect may have happened.
    #[default]
    Never,
    /// It may: running it again does no harm.
    Safe,
}
