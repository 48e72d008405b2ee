//! Running one admitted call: as many attempts as it may have.

use std::time::Duration;

use tinytools::ToolTimeout;

use super::attempt::{Attempt, run_once};
use super::execution::Execution;
use super::outcome::conclude;
use super::retry::{backoff, fits_deadline, is_cancelled_within, wait_before_retry};
use super::{BlockingPlaces, RunMeter};
use crate::admission::ReadyCall;
use crate::deferred::Deferral;
use crate::events::AgentEvent;
use crate::harness::RunPolicy;
use crate::redaction::Redactor;

/// Runs a call until it has an answer, with as many attempts as its policy and its nature allow. Gives the reason when it
/// leaves the loop instead.
pub(super) async fn execute(
    ready: &ReadyCall<'_, '_>,
    policy: &RunPolicy,
    places: &BlockingPlaces,
    meter: &RunMeter,
    execution: &mut Execution,
) -> Option<Deferral> {
    let tool = ready.tool;
    // Only a call that may happen twice is ever repeated.
    let retries = if tool.may_repeat() {
        tool.policy().runtime.max_retries
    } else {
        0
    };
    let redactor = Redactor::new(tool, &ready.call.arguments);
    let overridden = policy.tool_timeouts.get(tool.name()).copied();
    let limit = match overridden.unwrap_or(ready.timeout) {
        ToolTimeout::Millis(millis) => Some(Duration::from_millis(millis)),
        ToolTimeout::Inherit => policy.default_tool_timeout,
        _ => None,
    };
    let mut attempt = 0;
    loop {
        let is_last = attempt >= retries;
        let ended = run_once(ready, policy, places, limit, &mut execution.result).await;
        attempt += 1;
        execution.attempts = attempt;
        let wait = match &ended {
            _ if is_last => None,
            Attempt::TimedOut(_) => Some(backoff(policy, attempt)),
            Attempt::Failed(error) => wait_before_retry(error, policy, attempt),
            _ => None,
        };
        let Some(wait) = wait.filter(|wait| fits_deadline(&ready.ctx, *wait)) else {
            return conclude(tool, ended, &redactor, policy, meter, execution);
        };
        ready.ctx.emit_with(|| AgentEvent::ToolRetried {
            call_id: ready.call.id.clone(),
            tool_name: ready.call.name.clone(),
            attempt,
            delay_ms: u64::try_from(wait.as_millis()).unwrap_or(u64::MAX),
        });
        if Box::pin(is_cancelled_within(&ready.ctx, wait)).await {
            return conclude(
                tool,
                Attempt::Cancelled,
                &redactor,
                policy,
                meter,
                execution,
            );
        }
    }
}
