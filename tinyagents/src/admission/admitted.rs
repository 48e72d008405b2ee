//! Where a call goes from admission.

use tinytools::{ToolResult, ToolTimeout};

use super::CurrentCall;
use crate::context::CallContext;
use crate::deferred::Deferral;
use crate::error::TinyAgentsError;
use crate::harness::LimitKind;
use crate::middleware::HookFailure;
use crate::registry::RegisteredTool;

/// Where a call goes from admission; the call itself stays where it is. Two words, since it is moved about; what is larger
/// is boxed.
pub(crate) enum Admitted<'a> {
    /// It may run, by this tool.
    Ready(&'a RegisteredTool),
    /// It is answered without running.
    Answered(Box<ToolResult>),
    /// It met a limit.
    Limited(Box<LimitKind>),
    /// It leaves the loop.
    Deferred(Box<Departure<'a>>),
    /// A middleware failed; this is for the host.
    HookFailed(Box<HookFailure>),
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
#[derive(Default)]
pub(crate) struct CallFacts {
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
    pub(crate) ctx: &'r CallContext<'a>,
    pub(crate) facts: &'r CallFacts,
}

/// Why a call leaves the loop.
pub(crate) struct Departure<'a> {
    pub(crate) tool: &'a RegisteredTool,
    pub(crate) deferral: Deferral,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_handed_from_step_to_step_fits_into_two_registers() {
        assert_eq!(size_of::<Admitted<'_>>(), 16);
    }
}
