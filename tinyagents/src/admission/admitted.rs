//! Where a call goes from admission.

use std::sync::Arc;

use tinytools::{ToolResult, ToolTimeout};

use crate::context::RunContext;
use crate::deferred::Deferral;
use crate::error::TinyAgentsError;
use crate::harness::LimitKind;
use crate::model::ToolCall;
use crate::registry::RegisteredTool;

/// Where a call goes from admission. Small, since it is moved about; what is seldom is boxed.
pub(crate) enum Admitted {
    /// It may run.
    Ready(Box<ReadyCall>),
    /// It is answered without running.
    Answered(Box<(ToolCall, ToolResult)>),
    /// It met a limit.
    Limited(LimitKind),
    /// It leaves the loop.
    Deferred(Box<Departure>),
    /// A middleware failed; the text is for the host.
    HookFailed(Box<(ToolCall, String)>),
    /// The policy wants the run to fail.
    Failed(TinyAgentsError),
}

/// A call that may run, with everything that running it takes.
pub(crate) struct ReadyCall {
    /// The call with its final name and arguments.
    pub(crate) call: ToolCall,
    pub(crate) tool: Arc<RegisteredTool>,
    pub(crate) ctx: RunContext,
    /// The call is no longer what the model made.
    pub(crate) is_altered: bool,
    /// It may run beside its neighbours.
    pub(crate) is_concurrency_safe: bool,
    /// The bound on one attempt, as the tool says.
    pub(crate) timeout: ToolTimeout,
}

/// A call that leaves the loop.
pub(crate) struct Departure {
    pub(crate) call: ToolCall,
    pub(crate) tool: Arc<RegisteredTool>,
    pub(crate) deferral: Deferral,
}
