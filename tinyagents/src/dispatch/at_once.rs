//! A call that waits for nothing but its tool.

use std::task::Context;

use tokio::sync::SemaphorePermit;
use tokio::time::Instant;

use super::announce::started;
use super::answered::Answered;
use super::attempt::Begun;
use super::execution::Execution;
use super::settle::Settlement;
use super::slot::Settled;
use super::trace;
use crate::admission::ReadyCall;

/// Where a call runs.
pub(super) enum Place<'a> {
    /// Beside the other calls of its session.
    InSession(#[expect(dead_code, reason = "held until the call is over")] SemaphorePermit<'a>),
    /// Wherever it likes.
    Free,
}

impl<'a> Settlement<'a> {
    /// The place of a call that nothing but its tool could wait for; outside of a session none is needed.
    pub(super) fn may_run_now(&self, ready: &ReadyCall<'_, '_>) -> Option<Place<'a>> {
        let waits = trace::may_be_wanted()
            || !self.middleware.is_empty()
            || ready.tool.is_blocking()
            || ready.ctx.run().effect_ledger().is_some()
            || ready.ctx.run().artifact_store().is_some();
        match self.turn.session() {
            _ if waits => None,
            Some(session) => session
                .try_enter(ready.facts.is_concurrency_safe)
                .map(Place::InSession),
            None => Some(Place::Free),
        }
    }

    /// Runs a call that waits for nothing but its tool. What has begun is given back where that is not its end.
    pub(super) fn run_now<'r>(
        &self,
        ready: ReadyCall<'r, 'a>,
        settled: &mut Settled<'a>,
        cx: &mut Context<'_>,
    ) -> Option<(Begun<'r>, Option<Instant>)>
    where
        'a: 'r,
    {
        let started = started(ready.ctx.told(), ready.call);
        let runner = self.runner(ready);
        let mut execution = Execution::default();
        match runner.begin(&mut execution.result, cx) {
            Begun::Ended(ended) if runner.is_over(&ended) => {
                execution.attempts = 1;
                let deferral = runner.conclude(ended, &mut execution);
                if let Some(deferral) = deferral {
                    self.defer(ready.ctx.told(), ready.call, ready.tool, deferral, settled);
                } else {
                    settled.executed = Some(ready.tool);
                    let answered = Answered::of_run(ready, started);
                    self.answer_now(ready.ctx.told(), &answered, &mut execution, settled);
                }
                None
            }
            begun => Some((begun, started)),
        }
    }
}
