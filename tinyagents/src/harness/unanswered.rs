//! Calls of a transcript that a crash has left without an answer.

use std::sync::Arc;

use tinytools::ToolContent;

use super::inline;
use super::parts::Parts;
use super::turn::conclude;
use super::{AgentRun, StopReason};
use crate::context::RunContext;
use crate::dispatch::Batch;
use crate::effects::{is_answered, last_assistant, recorded_follow_up, tool_position};
use crate::error::TinyAgentsError;
use crate::model::{Message, ModelRequest, ToolCall};

/// Runs the calls of the last assistant turn that have no answer, as that turn would have, before the model is asked.
///
/// Only with an effect ledger, which sees to it that none is run twice; a turn that waits for answers from outside is
/// left to the resume.
pub(super) async fn run_unanswered(
    parts: Parts<'_>,
    ctx: &mut RunContext,
    run: &mut AgentRun,
) -> Result<Option<StopReason>, TinyAgentsError> {
    if ctx.effect_ledger().is_none() {
        return Ok(None);
    }
    let Some((at, calls)) = unanswered(&run.messages) else {
        return Ok(None);
    };
    let turn = parts.dispatcher.shown_turn(ctx).await?;
    // What a middleware hides from the model can't be called here either.
    let mut request =
        ModelRequest::new(run.messages[..at].to_vec()).with_tools(turn.shared_schemas());
    if let Err(failed) = parts.middleware.before_model(ctx, &mut request).await {
        return Ok(Some(StopReason::Middleware(failed.to_string())));
    }
    let turn = turn.narrowed_to(Arc::clone(&request.tools));
    let follow_up = recorded(ctx, &run.messages, at).await?;
    let positions: Vec<usize> = calls.iter().map(|(position, _)| *position).collect();
    let calls = calls.into_iter().map(|(_, call)| call).collect();
    let mut batch = Batch::default();
    let outcome = turn.run(ctx, calls, &mut batch).await;
    run.trace
        .add_batch(parts.recorder, &turn, &batch.calls, &batch);
    let stop = record(run, at, &positions, follow_up, batch);
    outcome?;
    inline::handled(parts, &turn, ctx, run, stop).await
}

/// The turn and its unanswered calls with their positions; `None` where all is answered, or the talk has gone on.
fn unanswered(messages: &[Message]) -> Option<(usize, Vec<(usize, ToolCall)>)> {
    let at = last_assistant(messages)?;
    let has_gone_on = messages[at + 1..]
        .iter()
        .any(|message| message.as_tool().is_none());
    let message = messages[at].as_assistant()?;
    if has_gone_on || message.deferred.is_some() {
        return None;
    }
    let calls: Vec<(usize, ToolCall)> = message
        .tool_calls
        .iter()
        .enumerate()
        .filter(|(_, call)| !call.id.is_empty() && !is_answered(messages, at, &call.id))
        .map(|(position, call)| (position, call.clone()))
        .collect();
    (!calls.is_empty()).then_some((at, calls))
}

/// What the answers that are there add to the message after the rows, which the crash came before; by the calls' places.
async fn recorded(
    ctx: &RunContext,
    messages: &[Message],
    at: usize,
) -> Result<Vec<(usize, Vec<ToolContent>)>, TinyAgentsError> {
    let mut follow_up = Vec::new();
    if let Some(ledger) = ctx.effect_ledger() {
        for (position, call) in messages[at].tool_calls().iter().enumerate() {
            if is_answered(messages, at, &call.id) {
                let blocks = recorded_follow_up(ledger, ctx.run_id(), call).await?;
                follow_up.push((position, blocks));
            }
        }
    }
    Ok(follow_up)
}

/// Puts the rows in their places among those that are there, and after them the follow-up of all calls in their order.
fn record(
    run: &mut AgentRun,
    at: usize,
    positions: &[usize],
    mut follow_up: Vec<(usize, Vec<ToolContent>)>,
    mut batch: Batch,
) -> Option<StopReason> {
    for row in batch.messages.drain(..) {
        let answered = batch.calls.iter().position(|call| call.id == row.call_id);
        if let Some(position) = answered.and_then(|nth| positions.get(nth)) {
            let place = tool_position(&run.messages, at, *position);
            run.messages.insert(place, row.into());
        }
    }
    if let Some(Message::Assistant(message)) = run.messages.get_mut(at) {
        message.deferred = batch.deferred.clone().map(Box::new);
    }
    let added = batch.take_follow_up().into_iter();
    follow_up.extend(added.filter_map(|(nth, blocks)| Some((*positions.get(nth)?, blocks))));
    follow_up.sort_by_key(|(position, _)| *position);
    let blocks = follow_up.into_iter().flat_map(|(_, blocks)| blocks);
    run.messages.extend(Message::follow_up(blocks.collect()));
    run.deferred = batch.deferred.take();
    conclude(run, batch)
}
