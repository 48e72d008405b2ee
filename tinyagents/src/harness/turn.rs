//! A turn of the loop: ask the model, dispatch its calls.

use std::sync::Arc;

use super::inline;
use super::parts::Parts;
use super::request::{ask, ask_wrapped};
use super::{AgentRun, StopReason};
use crate::context::RunContext;
use crate::dispatch::{Batch, interruption};
use crate::error::TinyAgentsError;
use crate::model::{AssistantMessage, Message, ModelRequest};

/// Whether the loop goes on.
pub(super) enum Step {
    Continue,
    Stop(StopReason),
}

/// One request, and the dispatch of the calls in its response.
pub(super) async fn turn(
    parts: Parts<'_>,
    ctx: &mut RunContext,
    run: &mut AgentRun,
) -> Result<Step, TinyAgentsError> {
    if let Some(stop) = interruption(ctx) {
        return Ok(Step::Stop(stop));
    }
    let limits = ctx.narrowed_limits(&parts.policy.limits);
    if let Err(limit) = ctx.meter().reserve_model_call(&limits) {
        return Ok(Step::Stop(StopReason::Limit(limit)));
    }
    let turn = parts.dispatcher.whole_turn(ctx).await?;
    let turn = turn.for_definition(ctx);
    turn.show_to(ctx);
    // A toolset may show other tools than when the run began.
    turn.check_injections(ctx)?;
    let mut request = ModelRequest::new(run.messages.clone())
        .with_tools(turn.shared_schemas())
        .with_max_output_tokens(ctx.budget().max_turn_output_tokens())
        .with_deadline(ctx.deadline());
    if let Err(failed) = parts.middleware.before_model(ctx, &mut request).await {
        return Ok(Step::Stop(StopReason::Middleware(failed.to_string())));
    }
    // What a middleware took out of the request can't be called either.
    let turn = turn.narrowed_to(Arc::clone(&request.tools));
    let asked = if parts.middleware.wraps() {
        Box::pin(ask_wrapped(parts, ctx, run, turn, request, &limits)).await?
    } else {
        ask(parts, ctx, run, turn, request).await?
    };
    let (turn, mut response) = match asked {
        Ok(asked) => asked,
        Err(stop) => return Ok(Step::Stop(stop)),
    };
    if let Err(failed) = parts.middleware.after_model(ctx, &mut response).await {
        return Ok(Step::Stop(StopReason::Middleware(failed.to_string())));
    }
    let mut message = response.message;
    if message.tool_calls.is_empty() {
        run.final_text = Some(message.content.clone());
        run.messages.push(message.into());
        return Ok(Step::Stop(StopReason::Finished));
    }
    let mut batch = Batch::default();
    let calls = std::mem::take(&mut message.tool_calls);
    let outcome = turn.run(ctx, calls, &mut batch).await;
    run.trace
        .add_batch(parts.recorder, &turn, &batch.calls, &batch);
    let stop = record(run, message, batch);
    outcome?;
    let stop = inline::handled(parts, &turn, ctx, run, stop).await?;
    Ok(stop.map_or(Step::Continue, Step::Stop))
}

/// Writes a batch into the transcript: the assistant's calls with their final ids, the rows, the follow-up.
fn record(
    run: &mut AgentRun,
    mut message: AssistantMessage,
    mut batch: Batch,
) -> Option<StopReason> {
    message.tool_calls = std::mem::take(&mut batch.calls);
    // Where a later resume finds what is asked; host only.
    message.deferred = batch.deferred.clone().map(Box::new);
    run.messages.push(message.into());
    run.messages
        .extend(batch.messages.drain(..).map(Message::Tool));
    run.messages.append(&mut batch.follow_up);
    run.deferred = batch.deferred.take();
    conclude(run, batch)
}

/// What a batch leaves beside the transcript, and whether the run ends with it.
pub(super) fn conclude(run: &mut AgentRun, batch: Batch) -> Option<StopReason> {
    run.executed_tools
        .extend(batch.executed_tools.iter().map(ToString::to_string));
    run.tool_metadata.extend(batch.metadata);
    if batch.stop.is_some() {
        return batch.stop;
    }
    if run.deferred.is_some() {
        return Some(StopReason::Deferred);
    }
    let direct = batch.return_direct?;
    run.final_text = Some(direct);
    Some(StopReason::ReturnDirect)
}
