//! The end of the run, as its calls see it.

use tokio::time::Instant;

use crate::context::RunContext;
use crate::harness::StopReason;

/// Why a call must not start, or go on.
pub(crate) fn interruption(ctx: &RunContext) -> Option<StopReason> {
    if ctx.is_cancelled() {
        return Some(StopReason::Cancelled);
    }
    let is_over = ctx
        .deadline()
        .is_some_and(|deadline| deadline <= Instant::now());
    is_over.then_some(StopReason::Deadline)
}

/// Resolves when the run is cancelled or its time is over.
pub(crate) async fn interrupted(ctx: &RunContext) -> StopReason {
    tokio::select! {
        biased;
        () = ctx.cancelled() => StopReason::Cancelled,
        () = sleep_until(ctx.deadline()) => StopReason::Deadline,
    }
}

pub(super) async fn sleep_until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}
