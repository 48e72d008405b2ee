//! Bringing one call of a batch to its end: run or not, one terminal event, at most one row.

use std::future::poll_fn;
use std::task::Poll;

use tinytools::ToolResult;
use tokio::time::Instant;
use tracing::Instrument as _;

use super::announce::{refuse, started};
use super::answered::Answered;
use super::attempt::Begun;
use super::execute::Runner;
use super::execution::Execution;
use super::not_rerun::not_rerun;
use super::slot::{Settled, Slot, Waiting, not_run};
use super::wrapped::WrappedCall;
use super::{RunMeter, Turn, interruption, trace};
use crate::admission::{Admission, Departure, Pending, ReadyCall};
use crate::context::RunContext;
use crate::deferred::{Deferral, PendingCall};
use crate::effects::{self, OpenEffect};
use crate::events::AgentEvent;
use crate::harness::{RunLimits, RunPolicy};
use crate::middleware::MiddlewareStack;
use crate::model::ToolCall;
use crate::registry::RegisteredTool;

/// What every call of a batch is brought to its end by.
#[derive(Clone, Copy)]
pub(super) struct Settlement<'a> {
    pub(super) policy: &'a RunPolicy,
    pub(super) meter: &'a RunMeter,
    pub(super) middleware: &'a MiddlewareStack,
    pub(super) turn: &'a Turn,
    pub(super) limits: &'a RunLimits,
}

impl<'a> Settlement<'a> {
    /// What a call is admitted by that was changed on its way.
    pub(super) fn admission(&self) -> Admission<'a> {
        self.turn.admission(self.meter, self.limits)
    }

    /// Brings one call to its end.
    pub(super) async fn settle(
        &self,
        pending: &Pending<'a>,
        slot: Slot<'a>,
        settled: &mut Settled<'a>,
    ) {
        match slot {
            Slot::Ready(tool) => {
                let ready = pending.ready(tool);
                let Some(_place) = self.may_run_now(&ready) else {
                    return Box::pin(self.run(ready, settled)).await;
                };
                if is_over(ready, settled) {
                    return;
                }
                // What waiting takes is made when the tool waits.
                let now = poll_fn(|cx| Poll::Ready(self.run_now(ready, settled, cx)));
                if let Some((begun, started)) = now.await {
                    Box::pin(self.execute(ready, Some(begun), started, None, settled)).await;
                }
            }
            Slot::Answered(result) => {
                Box::pin(self.fold(pending, *result, false, settled)).await;
            }
            Slot::Denied(result) => {
                Box::pin(self.fold(pending, *result, true, settled)).await;
            }
            Slot::Refused(refusal) => {
                let Pending { ctx, call, .. } = pending;
                refuse(ctx.told(), &call.requested(), refusal.text, settled);
            }
            Slot::Deferred(departure) => {
                let Departure { tool, deferral } = *departure;
                let Pending { ctx, call, .. } = pending;
                self.defer(ctx.told(), call, tool, deferral, settled);
            }
        }
    }

    /// Answers a call that doesn't run, by the steps of one that did.
    async fn fold(
        &self,
        pending: &Pending<'a>,
        result: ToolResult,
        is_denied: bool,
        settled: &mut Settled<'a>,
    ) {
        let Pending { ctx, call, .. } = pending;
        // A middleware may ask of which call it is.
        let ctx = if self.middleware.is_empty() {
            ctx.told()
        } else {
            ctx
        };
        let answered = Answered {
            started: started(ctx, call),
            call,
            tool: None,
            is_denied,
            effect: None,
        };
        let mut execution = Execution {
            result,
            ..Execution::default()
        };
        self.answer(ctx, answered, &mut execution, settled).await;
    }

    /// Runs a call in its span.
    async fn run(&self, ready: ReadyCall<'_, 'a>, settled: &mut Settled<'a>) {
        let with_content = self.policy.trace_content;
        let span = trace::span(&ready, with_content);
        let running = Box::pin(self.prepare(ready, settled));
        if span.is_disabled() {
            running.await;
        } else {
            running.instrument(span.clone()).await;
        }
        let row = settled.row.as_ref();
        trace::end(&span, &ready, row, settled.class, with_content);
    }

    /// What comes before a call may begin.
    async fn prepare(&self, ready: ReadyCall<'_, 'a>, settled: &mut Settled<'a>) {
        let ReadyCall { call, ctx, .. } = ready;
        let _place = match self.turn.session() {
            Some(session) => Box::pin(session.enter(ctx, ready.facts.is_concurrency_safe)).await,
            None => None,
        };
        if is_over(ready, settled) {
            return;
        }
        if self.middleware.wraps() {
            // Each try claims for itself: a hook may change the arguments, or run the tool again.
            let started = started(ctx, call);
            return Box::pin(self.run_wrapped(ready, started, settled)).await;
        }
        // Durable before anybody is told of the start, and before the tool is.
        let begun = match ctx.effect_ledger() {
            Some(ledger) => Box::pin(effects::begin(ledger, &ready)).await,
            None => effects::Begun::Untracked,
        };
        let effect = match begun {
            effects::Begun::Untracked => None,
            effects::Begun::Open(effect) => Some(effect),
            not_begun => return not_rerun(&ready, not_begun, settled),
        };
        let started = started(ctx, call);
        self.execute(ready, None, started, effect, settled).await;
    }

    /// Brings a call that may have begun to its end.
    async fn execute(
        &self,
        ready: ReadyCall<'_, 'a>,
        begun: Option<Begun<'_>>,
        started: Option<Instant>,
        effect: Option<Box<OpenEffect>>,
        settled: &mut Settled<'a>,
    ) {
        let ReadyCall {
            call, tool, ctx, ..
        } = ready;
        let mut execution = Execution::default();
        let left = self.runner(ready).execute(begun, &mut execution).await;
        match left {
            None => {
                settled.executed = Some(tool);
                let answered = Answered {
                    effect,
                    ..Answered::of_run(ready, started)
                };
                self.answer(ctx, answered, &mut execution, settled).await;
            }
            Some(deferral) => {
                if let Some(effect) = effect {
                    Box::pin(effect.withdraw(ctx, &call.id)).await;
                }
                self.defer(ctx, call, tool, deferral, settled);
            }
        }
    }

    /// The same inside of the wrap hooks.
    async fn run_wrapped(
        &self,
        ready: ReadyCall<'_, 'a>,
        started: Option<Instant>,
        settled: &mut Settled<'a>,
    ) {
        let ReadyCall { tool, ctx, .. } = ready;
        let mut execution = Execution::default();
        let unwrapped = WrappedCall::new(*self, ready).run(&mut execution).await;
        settled.executed = unwrapped.has_run.then_some(tool);
        settled.failed = unwrapped.failed.map(|failed| Box::new(failed.into()));
        if let Some((call, deferral)) = unwrapped.departed {
            settled.stop = execution.stop;
            return self.defer(ctx, &call, tool, deferral, settled);
        }
        let answered = Answered::of_run(ready, started);
        self.answer(ctx, answered, &mut execution, settled).await;
    }

    pub(super) fn runner<'r>(&self, ready: ReadyCall<'r, 'a>) -> Runner<'r, 'a>
    where
        'a: 'r,
    {
        Runner {
            ready,
            policy: self.policy,
            places: &self.turn.blocking,
            meter: self.meter,
        }
    }

    /// A call that leaves the loop gives its slot back: it counts when it runs.
    pub(super) fn defer(
        &self,
        ctx: &RunContext,
        call: &ToolCall,
        tool: &RegisteredTool,
        deferral: Deferral,
        settled: &mut Settled<'_>,
    ) {
        self.meter.release_tool_call(self.limits, &call.name);
        ctx.emit_last(|| AgentEvent::ToolDeferred {
            call_id: call.id.clone(),
            reason: deferral.reason().to_owned(),
        });
        let pending = PendingCall::new(&call.id, tool, &call.arguments);
        settled.deferred = Some(Box::new(Waiting { pending, deferral }));
    }
}

/// Whether the run is over before the call begins, which is refused then: calls before it may have taken all the time
/// there was.
fn is_over(ready: ReadyCall<'_, '_>, settled: &mut Settled<'_>) -> bool {
    let Some(stop) = interruption(ready.ctx.run()) else {
        return false;
    };
    refuse(
        ready.ctx.told(),
        &ready.call.requested(),
        not_run(&stop),
        settled,
    );
    settled.stop = Some(stop);
    true
}
