//! Whether and when a call that failed is tried again.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use tinytools::ToolError;
use tokio::time::Instant;

use super::failure;
use crate::context::RunContext;
use crate::error::TinyAgentsError;
use crate::harness::RunPolicy;

/// Waits before another attempt; `true` when the run was cancelled meanwhile.
pub(super) async fn is_cancelled_within(ctx: &RunContext, wait: Duration) -> bool {
    tokio::select! {
        biased;
        () = ctx.cancelled() => true,
        () = tokio::time::sleep(wait) => false,
    }
}

/// How long to wait before another attempt; `None` for a failure that another attempt can't mend.
pub(super) fn wait_before_retry(
    error: &anyhow::Error,
    policy: &RunPolicy,
    attempt: u32,
) -> Option<Duration> {
    let error = failure::unwrapped(error);
    match ToolError::find(error) {
        Some(ToolError::Transient { retry_after, .. }) => {
            Some(retry_after.unwrap_or_else(|| backoff(policy, attempt)))
        }
        Some(_) => None,
        None => {
            let is_ours = error
                .chain()
                .any(<dyn std::error::Error>::is::<TinyAgentsError>);
            (!is_ours && !failure::is_injection(error)).then(|| backoff(policy, attempt))
        }
    }
}

/// Exponential, with the upper half random, so that calls that failed together don't come back together.
pub(super) fn backoff(policy: &RunPolicy, attempt: u32) -> Duration {
    let doublings = attempt.saturating_sub(1).min(20);
    let full = policy
        .retry_base_delay
        .saturating_mul(1 << doublings)
        .min(policy.retry_max_delay);
    let half = full / 2;
    let span = u64::try_from(half.as_nanos()).unwrap_or(u64::MAX);
    let random = RandomState::new().hash_one(attempt);
    half + Duration::from_nanos(random % span.saturating_add(1))
}

pub(super) fn fits_deadline(ctx: &RunContext, wait: Duration) -> bool {
    ctx.deadline().is_none_or(|deadline| {
        Instant::now()
            .checked_add(wait)
            .is_some_and(|at| at < deadline)
    })
}
