//! Where a call goes from admission.

use tinytools::{ToolResult, ToolTimeout};

use super::CurrentCall;
use crate::context::RunContext;
use crate::deferred::Deferral;
use crate::error::TinyAgentsError;
use crate::harness::LimitKind;
use crate::registry::RegisteredTool;

/// Where a call goes from admission. Small, since it is moved about; what is seldom is boxed.
pub(crate) enum Admitted<'a> {
    /// It may run.
    Ready(ReadyCall<'a>),
    /// It is answered without running.
    Answered(Box<(CurrentCall<'a>, ToolResult)>),
    /// It met a limit.
    Limited(LimitKind),
    /// It leaves the loop.
    Deferred(Box<Departure<'a>>),
    /// A middleware failed; the text is for the host.
    HookFailed(Box<(CurrentCall<'a>, String)>),
    /// The policy wants the run to fail.
    Failed(TinyAgentsError),
}

/// A call that may run, with everything that running it takes.
pub(crate) struct ReadyCall<'a> {
    /// The call with its final name and arguments.
    pub(crate) call: CurrentCall<'a>,
    pub(crate) tool: &'a RegisteredTool,
    pub(crate) ctx: RunContext,
    /// It may run beside its neighbours.
    pub(crate) is_concurrency_safe: bool,
    /// The bound on one attempt, as the tool says.
    pub(crate) timeout: ToolTimeout,
}

/// A call that leaves the loop.
pub(crate) struct Departure<'a> {
    pub(crate) call: CurrentCall<'a>,
    pub(crate) tool: &'a RegisteredTool,
    pub(crate) deferral: Deferral,
}
