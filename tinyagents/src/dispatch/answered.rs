//! A call that has its answer: what is made of that for the model, the ledger and the host.

use tokio::time::Instant;

use super::announce::finished;
use super::bounds::Bounds;
use super::execution::{Execution, Failure};
use super::results;
use super::settle::Settlement;
use super::slot::Settled;
use crate::admission::{CurrentCall, ReadyCall};
use crate::context::RunContext;
use crate::effects::{Ended, OpenEffect, ToolEffectStatus};
use crate::harness::{StopReason, ToolResultMetadata};
use crate::model::{ToolCall, ToolMessage};
use crate::registry::RegisteredTool;

/// A call that has its answer, on the way to a row.
pub(super) struct Answered<'a> {
    pub(super) call: &'a CurrentCall<'a>,
    /// The tool that ran; `None` when none did.
    pub(super) tool: Option<&'a RegisteredTool>,
    pub(super) started: Option<Instant>,
    /// The row tells of a refusal and not of a failure.
    pub(super) is_denied: bool,
    /// Its row in the ledger, to be settled.
    pub(super) effect: Option<Box<OpenEffect>>,
}

impl<'r> Answered<'r> {
    /// A call that ran and is in no ledger.
    pub(super) fn of_run(ready: ReadyCall<'r, 'r>, started: Option<Instant>) -> Self {
        Self {
            call: ready.call,
            tool: Some(ready.tool),
            started,
            is_denied: false,
            effect: None,
        }
    }
}

impl<'a> Settlement<'a> {
    /// `after_tool`, then the row, then the ledger, then the terminal event.
    pub(super) async fn answer(
        &self,
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
        let row = settled.row.insert(if ctx.artifact_store().is_some() {
            Box::pin(results::stored_row(ctx, call, &bounds, result, reader)).await
        } else {
            results::row(&call.requested(), &bounds, result, reader)
        });
        if let Some(effect) = answered.effect.take() {
            Box::pin(effect.settle(ctx, ended, row, result)).await;
        }
        conclude(ctx, &answered, execution, settled);
    }

    /// The same where there is no middleware, store or ledger to wait for.
    pub(super) fn answer_now(
        &self,
        ctx: &RunContext,
        answered: &Answered<'_>,
        execution: &mut Execution,
        settled: &mut Settled<'a>,
    ) {
        let bounds = Bounds::of(answered.tool);
        let requested = answered.call.requested();
        settled.row = Some(results::row(
            &requested,
            &bounds,
            &mut execution.result,
            self.turn.reader(),
        ));
        conclude(ctx, answered, execution, settled);
    }

    /// A middleware that fails changes nothing of the result: the call has happened, and the model must not believe
    /// otherwise.
    async fn after_tool(&self, ctx: &RunContext, call: &ToolCall, execution: &mut Execution) {
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
}

/// The terminal event, and what the batch gets of the call beside its row, which is there.
fn conclude(
    ctx: &RunContext,
    answered: &Answered<'_>,
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
    let row: &ToolMessage = settled.row.get_or_insert_default();
    let metadata = result.metadata.take();
    let has_failed = row.is_error && !is_denied;
    let failure = has_failed.then(|| failure.take().unwrap_or_else(Failure::repairable));
    finished(ctx, &call.name, row, failure, metadata.as_ref(), started);
    settled.return_direct = result
        .return_direct
        .unwrap_or_else(|| !result.is_error && tool.is_some_and(RegisteredTool::return_direct));
    settled.metadata = metadata.map(|metadata| Box::new(ToolResultMetadata::of(call, metadata)));
    settled.follow_up = std::mem::take(&mut result.follow_up);
    settled.stop = stop.take();
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
