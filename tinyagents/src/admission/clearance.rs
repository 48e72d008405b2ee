//! The last step: a valid call leaves the loop, or is cleared to run.

use std::panic::{AssertUnwindSafe, catch_unwind};

use tinytools::ToolResult;

use super::{Admitted, CallFacts, Departure, Pending};
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
    let is_approved = pending.ctx.is_approved(&pending.call.id);
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
    let Pending {
        ctx, call, facts, ..
    } = pending;
    let arguments = &call.arguments;
    let mut key = None;
    let told = tool.tool().map(|tool| {
        // The author's code: a panic in it is this call's failure, not the run's.
        catch_unwind(AssertUnwindSafe(|| {
            *facts = CallFacts {
                is_concurrency_safe: tool.is_concurrency_safe(arguments),
                timeout: tool.timeout_policy(arguments),
            };
            key = tool.idempotency_key(arguments);
        }))
    });
    let Some(Ok(())) = told else {
        let text = format!(
            "`{}` failed unexpectedly and did not run",
            tool.shown_name()
        );
        return Admitted::answered(ToolResult::error(text));
    };
    let key = match key {
        // A read is in no ledger, and seldom asks.
        None if ctx.run().effect_ledger().is_some() && !policy.side_effects.read_only => {
            IdempotencyKey::computed(ctx.run().run_id(), tool.name(), &call.id, arguments)
        }
        None => IdempotencyKey::of(call),
        Some(key) => IdempotencyKey::own(key),
    };
    ctx.enter(tool.shared_name(), key);
    Admitted::Ready(tool)
}
