//! Running one admitted call: as many attempts as it may have.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::{Context, Poll};
use std::time::Duration;

use tinytools::{ToolResult, ToolTimeout};

use super::attempt::{Attempt, Begun, begin, run_blocking};
use super::execution::Execution;
use super::outcome::conclude;
use super::retry::{backoff, fits_deadline, is_cancelled_within, wait_before_retry};
use super::{BlockingPlaces, RunMeter};
use crate::admission::ReadyCall;
use crate::deferred::Deferral;
use crate::events::AgentEvent;
use crate::harness::RunPolicy;
use crate::redaction::Redactor;

/// What a call that is ready is run by.
#[derive(Clone, Copy)]
pub(super) struct Runner<'r, 'a> {
    pub(super) ready: ReadyCall<'r, 'a>,
    pub(super) policy: &'r RunPolicy,
    pub(super) places: &'r BlockingPlaces,
    pub(super) meter: &'r RunMeter,
}

impl<'r> Runner<'r, '_> {
    /// Begins the call, where that can be done on this thread.
    pub(super) fn begin(self, result: &mut ToolResult, cx: &mut Context<'_>) -> Begun<'r> {
        begin(&self.ready, self.policy, self.limit(), result, cx)
    }

    /// Whether what became of the first attempt is the end of the call.
    pub(super) fn is_over(self, ended: &Attempt) -> bool {
        self.wait(ended, 1).is_none()
    }

    /// Runs the call until it has an answer, with as many attempts as its policy and its nature allow; the first may have
    /// begun. Gives the reason when it leaves the loop instead.
    pub(super) async fn execute(
        self,
        mut begun: Option<Begun<'r>>,
        execution: &mut Execution,
    ) -> Option<Deferral> {
        let Self {
            ready,
            policy,
            places,
            ..
        } = self;
        let mut attempt = 0;
        loop {
            let result = &mut execution.result;
            let ended = if ready.tool.is_blocking() {
                let blocking = run_blocking(&ready, policy, places, self.limit(), result);
                Box::pin(blocking).await
            } else {
                let begun = match begun.take() {
                    Some(begun) => begun,
                    None => poll_fn(|cx| Poll::Ready(self.begin(result, cx))).await,
                };
                match begun {
                    Begun::Ended(ended) => ended,
                    Begun::Waits(mut waiting) => Box::pin(waiting.end(&ready, result)).await,
                }
            };
            attempt += 1;
            execution.attempts = attempt;
            let Some(wait) = self.wait(&ended, attempt) else {
                return self.conclude(ended, execution);
            };
            if let Err(panicked) = ended.forget() {
                return self.conclude(panicked, execution);
            }
            ready.ctx.told().emit_with(|| AgentEvent::ToolRetried {
                call_id: ready.call.id.clone(),
                tool_name: ready.call.name.clone(),
                attempt,
                delay_ms: u64::try_from(wait.as_millis()).unwrap_or(u64::MAX),
            });
            if Box::pin(is_cancelled_within(ready.ctx.run(), wait)).await {
                return self.conclude(Attempt::Cancelled, execution);
            }
        }
    }

    /// What the model and the host are told of the last attempt; the reason, where the call leaves the loop.
    pub(super) fn conclude(self, ended: Attempt, execution: &mut Execution) -> Option<Deferral> {
        let redactor = Redactor::new(self.ready.tool, &self.ready.call.arguments);
        conclude(
            self.ready.tool,
            ended,
            &redactor,
            self.policy,
            self.meter,
            execution,
        )
    }

    /// How long to wait after so many attempts before the next one; `None` where there is none.
    fn wait(self, ended: &Attempt, attempts: u32) -> Option<Duration> {
        let tool = self.ready.tool;
        // Only a call that may happen twice is ever repeated.
        if attempts > tool.policy().runtime.max_retries || !tool.may_repeat() {
            return None;
        }
        let wait = match ended {
            Attempt::TimedOut(_) => Some(backoff(self.policy, attempts)),
            // What the error says is the author's code. Where that panics, it does so again when the call is concluded.
            Attempt::Failed(error) => catch_unwind(AssertUnwindSafe(|| {
                wait_before_retry(error, self.policy, attempts)
            }))
            .unwrap_or_default(),
            _ => None,
        };
        wait.filter(|wait| fits_deadline(self.ready.ctx.run(), *wait))
    }

    /// The bound on one attempt.
    fn limit(self) -> Option<Duration> {
        let ReadyCall { tool, facts, .. } = self.ready;
        let overridden = self.policy.tool_timeouts.get(tool.name()).copied();
        match overridden.unwrap_or(facts.timeout) {
            ToolTimeout::Millis(millis) => Some(Duration::from_millis(millis)),
            ToolTimeout::Inherit => self.policy.default_tool_timeout,
            _ => None,
        }
    }
}
