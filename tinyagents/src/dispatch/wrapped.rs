//! A call inside of the wrap hooks of middlewares.

use std::future::Future as _;
use std::pin::pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::Poll;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use serde_json::Value;
use tinytools::{ToolErrorClass, ToolResult};

use super::bounds::Bounds;
use super::execution::{Execution, Failure};
use super::settle::Settlement;
use super::{failure, interrupted, interruption};
use crate::admission::{Admitted, CurrentCall, Pending, ReadyCall};
use crate::context::{CallContext, RunContext};
use crate::deferred::Deferral;
use crate::effects::{self, Begun, LedgerError};
use crate::error::TinyAgentsError;
use crate::harness::StopReason;
use crate::middleware::Core;
use crate::model::ToolCall;

/// A call that is ready, as the innermost of its wrap hooks sees it.
pub(super) struct WrappedCall<'a> {
    ready: ReadyCall<'a, 'a>,
    settlement: Settlement<'a>,
    seen: Mutex<Seen>,
}

/// What has come of the tries so far. The lock is held for the length of one method, never across an await.
#[derive(Default)]
struct Seen {
    running: usize,
    has_run: bool,
    failure: Option<Failure>,
    stop: Option<StopReason>,
    /// The call of the last try, where that left the loop.
    departed: Option<ToolCall>,
    /// The effect ledger failed, and the run fails with it.
    failed: Option<LedgerError>,
}

/// A tool that runs, until its try is over or a hook gives it up.
struct Running<'a> {
    seen: &'a Mutex<Seen>,
    /// It has not run but left the loop.
    has_departed: bool,
}

impl<'a> Running<'a> {
    fn begin(seen: &'a Mutex<Seen>) -> Self {
        locked(seen).running += 1;
        Self {
            seen,
            has_departed: false,
        }
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let mut seen = locked(self.seen);
        seen.running -= 1;
        seen.has_run |= !self.has_departed;
    }
}

fn locked(seen: &Mutex<Seen>) -> MutexGuard<'_, Seen> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the hooks have made of a call.
pub(super) struct Unwrapped {
    /// Whether the tool ran at all.
    pub(super) has_run: bool,
    /// Why and with which arguments the call leaves the loop, if it does.
    pub(super) departed: Option<(ToolCall, Deferral)>,
    /// The effect ledger failed, and the run fails with it.
    pub(super) failed: Option<LedgerError>,
}

impl<'a> WrappedCall<'a> {
    pub(super) fn new(settlement: Settlement<'a>, ready: ReadyCall<'a, 'a>) -> Self {
        Self {
            ready,
            settlement,
            seen: Mutex::default(),
        }
    }

    /// Takes the call through all hooks; the end of the run waits for none of them, but for a tool that runs.
    pub(super) async fn run(self, execution: &mut Execution) -> Unwrapped {
        let run: &RunContext = self.ready.ctx;
        let mut ctx = run.clone();
        let ended = {
            let call: &ToolCall = self.ready.call;
            let mut hooks = pin!(self.settlement.middleware.wrap_tool(&mut ctx, call, &self));
            let mut interrupted = pin!(interrupted(run));
            std::future::poll_fn(|cx| {
                if let Poll::Ready(done) = hooks.as_mut().poll(cx) {
                    return Poll::Ready(Ok(done));
                }
                // A tool that runs sees to its own end; what it must finish, it finishes.
                if self.seen().running > 0 {
                    return Poll::Pending;
                }
                interrupted.as_mut().poll(cx).map(Err)
            })
            .await
        };
        let tool = self.ready.tool;
        let mut seen = self
            .seen
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        execution.stop = seen.stop.take();
        let departed = match ended {
            Ok(Ok(result)) => {
                execution.result = result;
                execution.failure = seen.failure;
                None
            }
            Ok(Err(failed)) => match failed.error {
                TinyAgentsError::ApprovalRequired { metadata } => Some(Deferral {
                    needs_approval: true,
                    metadata: said(metadata),
                }),
                TinyAgentsError::CallDeferred { metadata } => Some(Deferral {
                    needs_approval: false,
                    metadata: said(metadata),
                }),
                _ => {
                    let text = failure::unfinished(tool, seen.has_run);
                    let failed = failed.to_string();
                    execution.fail(text, ToolErrorClass::Hard, Some(failed.clone()));
                    execution.stop.get_or_insert(StopReason::Middleware(failed));
                    None
                }
            },
            Err(stop) => {
                let text = if seen.has_run {
                    failure::unfinished(tool, true)
                } else {
                    super::slot::not_run(&stop)
                };
                execution.fail(text, ToolErrorClass::Hard, None);
                execution.stop.get_or_insert(stop);
                None
            }
        };
        Unwrapped {
            has_run: seen.has_run,
            failed: seen.failed,
            departed: departed.map(|deferral| {
                let call = seen.departed.take();
                (
                    call.unwrap_or_else(|| ToolCall::clone(self.ready.call)),
                    deferral,
                )
            }),
        }
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        locked(&self.seen)
    }

    /// One try. Whatever differs from the call that was admitted is checked from the beginning.
    async fn attempt(
        &self,
        ctx: &mut RunContext,
        call: &ToolCall,
    ) -> Result<ToolResult, TinyAgentsError> {
        let admitted: &ToolCall = self.ready.call;
        if call.id != admitted.id || call.name != admitted.name {
            return Err(TinyAgentsError::Validation(format!(
                "a `wrap_tool` hook handed on another call than the one of `{}`; change arguments alone",
                admitted.name
            )));
        }
        if call.arguments == admitted.arguments && call.invalid.is_none() {
            let ctx = &CallContext::given(ctx.clone(), self.ready.ctx);
            return self.execute(&ReadyCall { ctx, ..self.ready }).await;
        }
        let mut ctx = ctx.clone();
        // A person approved other arguments.
        let was_approved = ctx.is_call_approved(&call.id);
        ctx.set_approved(false);
        let changed = CurrentCall::changed(self.ready.call.requested(), call.clone());
        let admission = self.settlement.admission();
        let ctx = CallContext::given(ctx, self.ready.ctx);
        let mut pending = Pending::of(ctx, changed);
        match admission.readmit(&mut pending, was_approved).await {
            Admitted::Ready(tool) => self.execute(&pending.ready(tool)).await,
            Admitted::Answered(result) => Ok(*result),
            Admitted::Deferred(departure) => Err(self.depart(&pending.call, departure.deferral)),
            Admitted::HookFailed(failed) => Err(TinyAgentsError::Validation(failed.to_string())),
            Admitted::Limited(limit) => Err(TinyAgentsError::LimitExceeded(limit.to_string())),
            Admitted::Failed(error) => Err(*error),
        }
    }

    async fn execute(&self, ready: &ReadyCall<'_, 'a>) -> Result<ToolResult, TinyAgentsError> {
        if let Some(stop) = interruption(ready.ctx) {
            let text = super::slot::not_run(&stop);
            self.seen().stop.get_or_insert(stop);
            return Ok(ToolResult::error(text));
        }
        let begun = match ready.ctx.effect_ledger() {
            Some(ledger) => effects::begin(ledger, ready).await,
            None => Begun::Untracked,
        };
        let effect = match begun {
            Begun::Untracked => None,
            Begun::Open(effect) => Some(effect),
            Begun::Recorded(answer) => return Ok(answer.into_result()),
            Begun::Refused(text) => return Ok(ToolResult::error(text)),
            Begun::Failed(error) => {
                self.seen().failed = Some(error);
                let text = "the effect could not be recorded";
                return Err(TinyAgentsError::Validation(text.to_owned()));
            }
        };
        let mut running = Running::begin(&self.seen);
        let mut execution = Execution::default();
        let runner = self.settlement.runner(*ready);
        let deferral = runner.execute(None, &mut execution).await;
        running.has_departed = deferral.is_some();
        if let Some(effect) = effect {
            if deferral.is_some() {
                effect.withdraw(ready.ctx, &ready.call.id).await;
            } else {
                // What the tool said; hooks may make something else of it, but not of what happened.
                let mut said = execution.result.clone();
                let bounds = Bounds::of(Some(ready.tool));
                let requested = ready.call.requested();
                let reader = self.settlement.turn.reader();
                let row = super::results::row(&requested, &bounds, &mut said, reader);
                let ended = super::answered::ended(&execution);
                effect.settle(ready.ctx, ended, &row, &said).await;
            }
        }
        drop(running);
        if let Some(deferral) = deferral {
            return Err(self.depart(ready.call, deferral));
        }
        let mut seen = self.seen();
        seen.departed = None;
        seen.failure = execution.failure;
        // A demand for the run's end stands, whatever a later try brings.
        if let Some(stop) = execution.stop {
            seen.stop.get_or_insert(stop);
        }
        Ok(execution.result)
    }

    /// Remembers which call leaves the loop; the error is how hooks get to know.
    fn depart(&self, call: &ToolCall, deferral: Deferral) -> TinyAgentsError {
        self.seen().departed = Some(call.clone());
        let metadata = deferral.metadata.unwrap_or_default();
        if deferral.needs_approval {
            TinyAgentsError::ApprovalRequired { metadata }
        } else {
            TinyAgentsError::CallDeferred { metadata }
        }
    }
}

/// `null` stands for nothing where a deferral goes through the hooks as an error.
fn said(metadata: Value) -> Option<Value> {
    (!metadata.is_null()).then_some(metadata)
}

impl<'c> Core<&'c ToolCall, ToolResult> for WrappedCall<'_> {
    fn run<'f>(
        &'f self,
        ctx: &'f mut RunContext,
        call: &'c ToolCall,
    ) -> BoxFuture<'f, Result<ToolResult, TinyAgentsError>>
    where
        &'c ToolCall: 'f,
    {
        self.attempt(ctx, call).boxed()
    }
}
