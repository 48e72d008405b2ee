//! A batch, put together of what is left of its calls.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use super::Batch;
use super::slot::{Settled, Waiting};
use crate::context::RunContext;
use crate::deferred::DeferredToolRequests;
use crate::harness::{LimitKind, RunLimits, StopReason};
use crate::model::ToolCall;
use crate::registry::RegisteredTool;

/// Adds what is left of a call to its batch, its follow-up aside.
pub(super) fn add(
    ctx: &RunContext,
    batch: &mut Batch,
    call: &ToolCall,
    settled: &mut Settled<'_>,
    limits: &RunLimits,
) {
    if let Some(row) = &settled.row {
        if !settled.is_refused {
            let failure = row.is_error.then(|| fingerprint(call, &row.content));
            let in_a_row = ctx.meter().record_outcome(failure);
            if in_a_row >= limits.identical_failures.max(1) {
                let limit = LimitKind::IdenticalFailures(limits.identical_failures);
                batch.stop.get_or_insert(StopReason::Limit(limit));
            }
        }
        if settled.return_direct && batch.return_direct.is_none() {
            batch.return_direct = Some(row.content.clone());
        }
        batch.messages.extend(settled.row.take());
    }
    if let Some(metadata) = settled.metadata.take() {
        batch.metadata.push(*metadata);
    }
    let executed = settled.executed.map(RegisteredTool::shared_name);
    batch.executed_tools.extend(executed.cloned());
    if let Some(deferred) = settled.deferred.take() {
        let Waiting { pending, deferral } = *deferred;
        let requests = batch
            .deferred
            .get_or_insert_with(DeferredToolRequests::default);
        requests.add(pending, deferral);
    }
    if settled.stop.is_some() {
        batch.stop = more_urgent(batch.stop.take(), settled.stop.take());
    }
}

/// A fatal failure is told before anything else; else the first reason stands.
fn more_urgent(known: Option<StopReason>, new: Option<StopReason>) -> Option<StopReason> {
    match (known, new) {
        (Some(known @ StopReason::Fatal(_)), _) => Some(known),
        (_, Some(new @ StopReason::Fatal(_))) => Some(new),
        (known, new) => known.or(new),
    }
}

/// Tells one failure from another: the tool, the arguments as the model gave them, and what it was told.
fn fingerprint(call: &ToolCall, content: &str) -> u64 {
    let hasher = BuildHasherDefault::<DefaultHasher>::default();
    hasher.hash_one((&call.name, call.arguments.to_string(), content))
}
