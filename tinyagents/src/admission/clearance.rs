//! The last step: a valid call leaves the loop, or is cleared to run.

use std::panic::{AssertUnwindSafe, catch_unwind};

use tinytools::ToolResult;

use super::{Admitted, Cleared, Departure, Pending};
use crate::context::IdempotencyKey;
use crate::deferred::Deferral;
use crate::registry::{RegisteredTool, ToolBody};

/// Defers what needs it, of valid calls only: nobody is asked to approve a malformed one. Prepares the rest.
pub(super) fn approve<'a>(
    tool: &'a RegisteredTool,
    pending: &mut Pending<'a>,
    deferral: Option<Deferral>,
) -> Admitted<'a> {
    let policy = tool.policy();
    let is_approved = pending.ctx.is_call_approved(&pending.call.id);
    // Whoever asked for the approval, it was given to something else.
    let is_stale = pending.approved.is_some() && !is_approved;
    let deferral = match (deferral, tool.body()) {
        (Some(deferral), _) if !(deferral.needs_approval && is_approved) => Some(deferral),
        _ if is_stale => Some(Deferral {
            needs_approval: true,
            metadata: None,
        }),
        (_, ToolBody::External) => Some(Deferral {
            needs_approval: false,
            metadata: None,
        }),
        (_, ToolBody::Local(_)) if policy.access.approval_required && !is_approved => {
            Some(Deferral {
                needs_approval: true,
                metadata: None,
            })
        }
        _ => None,
    };
    if let Some(deferral) = deferral {
        return Admitted::Deferred(Box::new(Departure { tool, deferral }));
    }
    let arguments = &pending.call.arguments;
    let facts = tool.tool().map(|tool| {
        // The author's code: a panic in it is this call's failure, not the run's.
        catch_unwind(AssertUnwindSafe(|| {
            (
                tool.is_concurrency_safe(arguments),
                tool.timeout_policy(arguments),
                tool.idempotency_key(arguments),
            )
        }))
    });
    let Some(Ok((is_concurrency_safe, timeout, key))) = facts else {
        let text = format!(
            "`{}` failed unexpectedly and did not run",
            tool.shown_name()
        );
        return Admitted::answered(ToolResult::error(text));
    };
    let key = match key {
        // A read is in no ledger, and seldom asks.
        None if pending.ctx.effect_ledger().is_some() && !policy.side_effects.read_only => {
            IdempotencyKey::computed(
                pending.ctx.run_id(),
                tool.name(),
                &pending.call.id,
                arguments,
            )
        }
        None => IdempotencyKey::of(&pending.call),
        Some(key) => IdempotencyKey::own(key),
    };
    pending.ctx.enter(tool.shared_name(), key);
    Admitted::Ready(Cleared {
        tool,
        is_concurrency_safe,
        timeout,
    })
}
