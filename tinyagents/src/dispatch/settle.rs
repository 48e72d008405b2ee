//! Bringing one call of a batch to its end: run or not, one terminal event, at most one row.

use std::pin::pin;

use serde_json::Value;
use tinytools::ToolResult;
use tokio::time::Instant;

use super::announce::{finished, refuse, started};
use super::bounds::Bounds;
use super::execute::execute;
use super::execution::{Execution, Failure};
use super::slot::{Settled, Slot, Waiting, not_run};
use super::wrapped::WrappedCall;
use super::{RunMeter, Turn, interruption, results, trace};
use crate::admission::{Admission, CurrentCall, Departure, ReadyCall};
use crate::context::RunContext;
use crate::deferred::{Deferral, PendingCall};
use crate::effects::{self, Begun, Ended, OpenEffect, RecordedAnswer, ToolEffectStatus};
use crate::events::AgentEvent;
use crate::harness::{RunLimits, RunPolicy, StopReason, ToolResultMetadata};
use crate::middleware::MiddlewareStack;
use crate::model::{ToolCall, ToolMessage};
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

/// A call that has its answer, on the way to a row.
struct Answered<'a> {
    call: &'a CurrentCall<'a>,
    /// The tool that ran; `None` when none did.
    tool: Option<&'a RegisteredTool>,
    started: Option<Instant>,
    /// The row tells of a refusal and not of a failure.
    is_denied: bool,
    /// Its row in the ledger, to be settled.
    effect: Option<Box<OpenEffect>>,
}

impl<'a> Settlement<'a> {
    /// What a call is admitted by that was changed on its way.
    pub(super) fn admission(self) -> Admission<'a> {
        self.turn.admission(self.meter, self.limits)
    }

    /// Brings one call to its end. `requested` is the call as the model made it.
    pub(super) async fn settle(
        self,
        ctx: &RunContext,
        requested: &ToolCall,
        slot: Slot<'a>,
        settled: &mut Settled<'a>,
    ) {
        match slot {
            Slot::Ready(ready) => {
                let with_content = self.policy.trace_content;
                let span = trace::span(&ready, with_content);
                {
                    let running = pin!(self.run(&ready, settled));
                    trace::within(&span, running).await;
                }
                let row = settled.row.as_ref();
                trace::end(&span, &ready, row, settled.class, with_content);
            }
            Slot::Answered(answered) => Box::pin(self.fold(ctx, *answered, false, settled)).await,
            Slot::Denied(denied) => Box::pin(self.fold(ctx, *denied, true, settled)).await,
            Slot::Refused(text) => refuse(ctx, requested, text, settled),
            Slot::Deferred(departure) => {
                let Departure {
                    call,
                    tool,
                    deferral,
                } = *departure;
                self.defer(ctx, &call, tool, deferral, settled);
            }
        }
    }

    /// Answers a call that doesn't run, by the steps of one that did.
    async fn fold(
        self,
        ctx: &RunContext,
        (call, result): (CurrentCall<'_>, ToolResult),
        is_denied: bool,
        settled: &mut Settled<'a>,
    ) {
        let answered = Answered {
            started: started(ctx, &call),
            call: &call,
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

    async fn run(self, ready: &ReadyCall<'a>, settled: &mut Settled<'a>) {
        let ReadyCall {
            call, tool, ctx, ..
        } = ready;
        let _place = match self.turn.session() {
            Some(session) => Box::pin(session.enter(ctx, ready.is_concurrency_safe)).await,
            None => None,
        };
        // Calls before this one may have taken all the time there was.
        if let Some(stop) = interruption(ctx) {
            refuse(ctx, call.requested(), not_run(&stop), settled);
            settled.stop = Some(stop);
            return;
        }
        if self.middleware.wraps() {
            // Each try claims for itself: a hook may change the arguments, or run the tool again.
            let started = started(ctx, call);
            return Box::pin(self.run_wrapped(ready, started, settled)).await;
        }
        // Durable before anybody is told of the start, and before the tool is.
        let begun = match ctx.effect_ledger() {
            Some(ledger) => Box::pin(effects::begin(ledger, ready)).await,
            None => Begun::Untracked,
        };
        let effect = match begun {
            Begun::Untracked => None,
            Begun::Open(effect) => Some(effect),
            not_begun => return not_rerun(ready, not_begun, settled),
        };
        let started = started(ctx, call);
        let mut execution = Execution::default();
        match execute(
            ready,
            self.policy,
            &self.turn.blocking,
            self.meter,
            &mut execution,
        )
        .await
        {
            None => {
                settled.executed = Some(tool);
                let answered = Answered {
                    call,
                    tool: Some(tool),
                    started,
                    is_denied: false,
                    effect,
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
        self,
        ready: &ReadyCall<'a>,
        started: Option<Instant>,
        settled: &mut Settled<'a>,
    ) {
        let ReadyCall {
            call, tool, ctx, ..
        } = ready;
        let mut execution = Execution::default();
        let unwrapped = WrappedCall::new(self, ready).run(&mut execution).await;
        settled.executed = unwrapped.has_run.then_some(*tool);
        settled.failed = unwrapped.failed.map(|failed| Box::new(failed.into()));
        if let Some((call, deferral)) = unwrapped.departed {
            settled.stop = execution.stop;
            return self.defer(ctx, &call, tool, deferral, settled);
        }
        let answered = Answered {
            call,
            tool: Some(tool),
            started,
            is_denied: false,
            effect: None,
        };
        self.answer(ctx, answered, &mut execution, settled).await;
    }

    /// `after_tool`, then the row, then the ledger, then the terminal event.
    async fn answer(
        self,
        ctx: &RunContext,
        mut answered: Answered<'_>,
        execution: &mut Execution,
        settled: &mut Settled<'a>,
    ) {
        let ended = ended(execution);
        let (call, tool) = (answered.call, answered.tool);
        let mut bounds = Bounds::of(tool);
        if !self.middleware.is_empty() {
            Box::pin(self.after_tool(ctx, call, execution)).await;
            bounds = bounds.enforced(self.middleware.max_result_bytes(ctx, call));
        }
        let result = &mut execution.result;
        let reader = self.turn.reader();
        let row = if ctx.artifact_store().is_some() {
            Box::pin(results::stored_row(ctx, call, &bounds, result, reader)).await
        } else {
            results::row(call.requested(), &bounds, result, reader)
        };
        if let Some(effect) = answered.effect.take() {
            Box::pin(effect.settle(ctx, ended, &row, result)).await;
        }
        conclude(ctx, &answered, row, execution, settled);
    }

    /// A middleware that fails changes nothing of the result: the call has happened, and the model must not believe
    /// otherwise.
    async fn after_tool(self, ctx: &RunContext, call: &ToolCall, execution: &mut Execution) {
        let mut ctx = ctx.clone();
        let after = self
            .middleware
            .after_tool(&mut ctx, call, &mut execution.result);
        if let Err(failed) = after.await {
            let failed = failed.to_string();
            execution
                .failure
                .get_or_insert_with(|| Failure::hard(failed.clone()));
            execution.stop.get_or_insert(StopReason::Middleware(failed));
        }
    }

    /// A call that leaves the loop gives its slot back: it counts when it runs.
    fn defer(
        self,
        ctx: &RunContext,
        call: &ToolCall,
        tool: &RegisteredTool,
        deferral: Deferral,
        settled: &mut Settled<'_>,
    ) {
        self.meter.release_tool_call(&call.name);
        ctx.emit_last(|| AgentEvent::ToolDeferred {
            call_id: call.id.clone(),
            reason: deferral.reason().to_owned(),
        });
        let pending = PendingCall::new(&call.id, tool, &call.arguments);
        settled.deferred = Some(Box::new(Waiting { pending, deferral }));
    }
}

/// The terminal event, and what the batch gets of the call.
fn conclude(
    ctx: &RunContext,
    answered: &Answered<'_>,
    row: ToolMessage,
    execution: &mut Execution,
    settled: &mut Settled<'_>,
) {
    let Answered {
        call,
        tool,
        started,
        is_denied,
        effect: _,
    } = *answered;
    let Execution {
        result,
        failure,
        stop,
        attempts: _,
        is_interrupted: _,
    } = execution;
    settled.class = failure.as_ref().map(|failure| failure.class);
    let row = settled.row.insert(row);
    let metadata = result.metadata.take();
    let has_failed = row.is_error && !is_denied;
    let failure = has_failed.then(|| failure.take().unwrap_or_else(Failure::repairable));
    finished(ctx, &call.name, row, failure, metadata.as_ref(), started);
    settled.return_direct = result
        .return_direct
        .unwrap_or_else(|| !result.is_error && tool.is_some_and(RegisteredTool::return_direct));
    settled.metadata = metadata.map(|metadata| noted(call, metadata));
    settled.follow_up = std::mem::take(&mut result.follow_up);
    settled.stop = stop.take();
}

fn noted(call: &ToolCall, metadata: Value) -> Box<ToolResultMetadata> {
    Box::new(ToolResultMetadata {
        call_id: call.id.clone(),
        tool_name: call.name.clone(),
        metadata,
    })
}

/// What the ledger is told of the end. A middleware may change the answer, not what happened.
pub(super) fn ended(execution: &Execution) -> Ended {
    Ended {
        status: if execution.is_interrupted {
            ToolEffectStatus::Interrupted
        } else if execution.result.is_error {
            ToolEffectStatus::Failed
        } else {
            ToolEffectStatus::Completed
        },
        attempts: execution.attempts,
    }
}

/// Answers a call that the ledger lets not run.
fn not_rerun(ready: &ReadyCall<'_>, begun: Begun, settled: &mut Settled<'_>) {
    let ReadyCall {
        call, tool, ctx, ..
    } = ready;
    let requested = call.requested();
    match begun {
        Begun::Untracked | Begun::Open(_) => {}
        Begun::Recorded(answer) => {
            let started = started(ctx, call);
            settled.return_direct = answer.ends_run(tool.return_direct());
            let RecordedAnswer {
                mut row,
                follow_up,
                metadata,
                return_direct: _,
            } = *answer;
            row.call_id.clone_from(&requested.id);
            row.tool_name.clone_from(&requested.name);
            let failure = row.is_error.then(Failure::repairable);
            finished(ctx, &call.name, &row, failure, metadata.as_ref(), started);
            settled.row = Some(row);
            settled.follow_up = follow_up;
            settled.metadata = metadata.map(|metadata| noted(call, metadata));
        }
        Begun::Refused(text) => refuse(ctx, requested, text, settled),
        Begun::Failed(error) => {
            let text = "not run: its effect could not be recorded".to_owned();
            refuse(ctx, requested, text, settled);
            settled.failed = Some(Box::new(error.into()));
        }
    }
}
