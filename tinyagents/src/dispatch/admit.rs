//! What comes before a call of a batch may run: its slot, and its admission.

use tinytools::ToolResult;

use super::slot::{Slot, limited, not_run};
use super::{RunMeter, Turn, interrupted};
use crate::admission::{Admission, Admitted, Pending};
use crate::context::RunContext;
use crate::error::TinyAgentsError;
use crate::harness::{RunLimits, StopReason};
use crate::model::ToolCall;

impl Turn {
    /// Takes a slot for one call; `None` when it has one and goes on to admission.
    pub(super) fn reserve<'a>(
        &self,
        ctx: &RunContext,
        call: &ToolCall,
        is_repeated: bool,
        limits: &RunLimits,
        stop: &mut Option<StopReason>,
    ) -> Option<Slot<'a>> {
        if let Some(stop @ (StopReason::Cancelled | StopReason::Deadline)) = &*stop {
            return Some(Slot::refused(not_run(stop)));
        }
        let reserved = if self.session().is_some() {
            // Its server makes the ids, and it may last too long to remember them all.
            ctx.meter().reserve_tool_call(limits, &call.name)
        } else {
            ctx.meter().take_up(limits, call)
        };
        if let Err(limit) = reserved {
            return Some(limited(limit, stop));
        }
        is_repeated.then(|| {
            let text = "not run: another call of this turn has the same id; call again with an id of its own";
            Slot::refused(text)
        })
    }

    /// Admits a call that has its slot. An error is what the policy makes the whole run fail with.
    pub(super) async fn admit<'a>(
        &'a self,
        ctx: &'a RunContext,
        pending: &mut Pending<'a>,
        limits: &'a RunLimits,
        stop: &mut Option<StopReason>,
    ) -> Result<Slot<'a>, Box<TinyAgentsError>> {
        if self.middleware.is_empty() {
            return self.admit_now(ctx, pending, limits, stop);
        }
        let admission = self.admission(ctx.meter(), limits);
        // A middleware may wait for a person; the run's end doesn't wait for that.
        tokio::select! {
            biased;
            admitted = Box::pin(admission.admit(pending)) => slot(admitted, stop),
            ended = Box::pin(interrupted(ctx)) => {
                let refused = Slot::refused(not_run(&ended));
                stop.get_or_insert(ended);
                pending.ctx.reclaim();
                Ok(refused)
            }
        }
    }

    /// The same where there is no middleware, and so nothing to wait for.
    pub(super) fn admit_now<'a>(
        &'a self,
        ctx: &'a RunContext,
        pending: &mut Pending<'a>,
        limits: &'a RunLimits,
        stop: &mut Option<StopReason>,
    ) -> Result<Slot<'a>, Box<TinyAgentsError>> {
        slot(self.admission(ctx.meter(), limits).admit_now(pending), stop)
    }

    /// What a call is admitted by.
    pub(super) fn admission<'a>(
        &'a self,
        meter: &'a RunMeter,
        limits: &'a RunLimits,
    ) -> Admission<'a> {
        Admission {
            catalogue: &self.catalogue,
            advertised: &self.advertised,
            available: &self.schemas,
            prepared: self.prepared.as_deref(),
            discovery: self.discovery.as_deref(),
            policy: &self.policy,
            limits,
            meter,
            middleware: &self.middleware,
            capabilities: self.capabilities,
        }
    }
}

/// What becomes of a call by its admission.
fn slot<'a>(
    admitted: Admitted<'a>,
    stop: &mut Option<StopReason>,
) -> Result<Slot<'a>, Box<TinyAgentsError>> {
    Ok(match admitted {
        Admitted::Ready(tool) => Slot::Ready(tool),
        Admitted::Answered(answered) => Slot::Answered(answered),
        Admitted::Deferred(departure) => Slot::Deferred(departure),
        Admitted::Limited(limit) => limited(*limit, stop),
        Admitted::HookFailed(failure) => {
            stop.get_or_insert(StopReason::Middleware(failure.to_string()));
            let result = ToolResult::error("not run: the host could not check it");
            Slot::Answered(Box::new(result))
        }
        Admitted::Failed(failure) => return Err(failure),
    })
}
