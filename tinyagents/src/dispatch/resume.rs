//! Calls that come back with an answer from outside.

use std::sync::Arc;

use tinytools::ToolResult;

use super::slot::{Slot, limited, not_run};
use super::{Batch, Turn, interruption};
use crate::admission::{Pending, Requested};
use crate::context::RunContext;
use crate::deferred::{ApprovedCall, Outcome, PendingCall, Resolved};
use crate::error::TinyAgentsError;
use crate::events::AgentEvent;
use crate::harness::{LimitKind, RunLimits, StopReason};
use crate::model::ToolCall;

impl Turn {
    /// Brings resolved calls to their end: the approved ones through the whole admission, the others to their rows.
    pub(crate) async fn run_resolved(
        &self,
        ctx: &RunContext,
        resolved: Vec<Resolved>,
        batch: &mut Batch,
    ) -> Result<(), TinyAgentsError> {
        let limits = ctx.limits_within(&self.policy().limits);
        ctx.begin(&self.policy().limits);
        batch.stop = interruption(ctx);
        let (waited, outcomes): (Vec<PendingCall>, Vec<Outcome>) = resolved
            .into_iter()
            .map(|Resolved { pending, outcome }| (pending, outcome))
            .unzip();
        let calls: Vec<ToolCall> = waited.iter().map(PendingCall::as_requested).collect();
        let calls = Arc::new(calls);
        ctx.meter()
            .note_ids(calls.iter().map(|call| call.id.as_str()));
        let mut slots = Vec::with_capacity(calls.len());
        for (outcome, (pending, call)) in outcomes
            .into_iter()
            .zip(waited.iter().zip(Requested::all(&calls)))
        {
            slots.push(match outcome {
                Outcome::Approved(approved) => {
                    ctx.emit_with(|| AgentEvent::ToolApproved {
                        call_id: pending.id.clone(),
                        tool_name: pending.name.clone(),
                    });
                    let slot = reserve(ctx, &approved, &limits, &mut batch.stop);
                    (Pending::approved(ctx, call, approved), slot)
                }
                Outcome::Denied(message) => {
                    ctx.emit_with(|| AgentEvent::ToolDenied {
                        call_id: pending.id.clone(),
                        tool_name: pending.name.clone(),
                        message: message.clone(),
                    });
                    charge(ctx, pending, &limits, &mut batch.stop);
                    let result = ToolResult::error(denial(pending, message));
                    let denied = Slot::Denied(Box::new(result));
                    (renamed(ctx, pending, call), Some(denied))
                }
                Outcome::Returned(result) => {
                    charge(ctx, pending, &limits, &mut batch.stop);
                    let answered = Slot::Answered(Box::new(result));
                    (renamed(ctx, pending, call), Some(answered))
                }
                Outcome::Retry(message) => {
                    charge(ctx, pending, &limits, &mut batch.stop);
                    let result = ToolResult::error(self.correction(ctx, pending, message));
                    let answered = Slot::Answered(Box::new(result));
                    (renamed(ctx, pending, call), Some(answered))
                }
            });
        }
        let failure = self.run_slots(ctx, slots, &limits, batch);
        let failure = Box::pin(failure).await;
        if let Some(requests) = &mut batch.deferred {
            requests.note_again(&waited);
        }
        batch.calls = Arc::unwrap_or_clone(calls);
        failure.map_or(Ok(()), |failure| Err(*failure))
    }

    /// What the model is told to correct, as long as it may.
    fn correction(&self, ctx: &RunContext, pending: &PendingCall, message: String) -> String {
        if ctx
            .meter()
            .count_correction(&pending.name, self.policy().max_corrections)
        {
            return message;
        }
        let name = pending.told_name();
        format!("{message}; do not call `{name}` for this again")
    }
}

/// The call with its final name; its row has the name that the model used.
fn renamed<'a>(ctx: &'a RunContext, waited: &PendingCall, requested: Requested<'a>) -> Pending<'a> {
    let mut pending = Pending::new(ctx, requested);
    if requested.name != waited.name {
        pending.call.to_mut().name.clone_from(&waited.name);
    }
    pending
}

fn denial(pending: &PendingCall, message: String) -> String {
    if message.trim().is_empty() {
        return format!("the call of `{}` was denied", pending.told_name());
    }
    message
}

/// Takes a slot for a call that runs now; `None` when it has one and goes on to admission.
fn reserve<'a>(
    ctx: &RunContext,
    approved: &ApprovedCall,
    limits: &RunLimits,
    stop: &mut Option<StopReason>,
) -> Option<Slot<'a>> {
    if let Some(stop @ (StopReason::Cancelled | StopReason::Deadline)) = &*stop {
        return Some(Slot::refused(not_run(stop)));
    }
    let reserved = ctx.meter().reserve_tool_call(limits, &approved.name);
    reserved.err().map(|limit| limited(limit, stop))
}

/// Counts a call that is answered without running, as any recovery. Its answer is there and stands, whatever the limit.
fn charge(
    ctx: &RunContext,
    pending: &PendingCall,
    limits: &RunLimits,
    stop: &mut Option<StopReason>,
) {
    let reserved: Result<(), LimitKind> = ctx.meter().reserve_tool_call(limits, &pending.name);
    if let Err(limit) = reserved {
        stop.get_or_insert(StopReason::Limit(limit));
    }
}
