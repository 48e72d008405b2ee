//! Where a call goes from admission.

use tinytools::{ToolResult, ToolTimeout};

use super::CurrentCall;
use crate::context::RunContext;
use crate::deferred::Deferral;
use crate::error::TinyAgentsError;
use crate::harness::LimitKind;
use crate::registry::RegisteredTool;

/// Where a call goes from admission; the call itself stays where it is. Small, since it is moved about; what is seldom is
/// boxed.
pub(crate) enum Admitted<'a> {
    /// It may run.
    Ready(Cleared<'a>),
    /// It is answered without running.
    Answered(Box<ToolResult>),
    /// It met a limit.
    Limited(LimitKind),
    /// It leaves the loop.
    Deferred(Box<Departure<'a>>),
    /// A middleware failed; the text is for the host.
    HookFailed(String),
    /// The policy wants the run to fail.
    Failed(Box<TinyAgentsError>),
}

impl Admitted<'_> {
    pub(super) fn answered(result: ToolResult) -> Self {
        Self::Answered(Box::new(result))
    }

    pub(super) fn failed(error: TinyAgentsError) -> Self {
        Self::Failed(Box::new(error))
    }
}

/// What a tool says of a call that may run.
pub(crate) struct Cleared<'a> {
    pub(crate) tool: &'a RegisteredTool,
    /// It may run beside its neighbours.
    pub(crate) is_concurrency_safe: bool,
    /// The bound on one attempt, as the tool says.
    pub(crate) timeout: ToolTimeout,
}

/// A call that may run, with everything that running it takes.
#[derive(Clone, Copy)]
pub(crate) struct ReadyCall<'r, 'a> {
    /// The call with its final name and arguments.
    pub(crate) call: &'r CurrentCall<'a>,
    pub(crate) tool: &'a RegisteredTool,
    pub(crate) ctx: &'r RunContext,
    /// It may run beside its neighbours.
    pub(crate) is_concurrency_safe: bool,
    /// The bound on one attempt, as the tool says.
    pub(crate) timeout: ToolTimeout,
}

/// Why a call leaves the loop.
pub(crate) struct Departure<'a> {
    pub(crate) tool: &'a RegisteredTool,
    pub(crate) deferral: Deferral,
}
