//! The turn of a transcript that waits for answers, and its rows.

use std::collections::HashSet;

use super::parts::Parts;
use super::turn::conclude;
use super::{AgentRun, StopReason};
use crate::context::RunContext;
use crate::deferred::{Coverage, DeferredToolRequests, DeferredToolResults, Resolved, resolve};
use crate::dispatch::{Batch, Turn};
use crate::error::TinyAgentsError;
use crate::model::{AssistantMessage, Message, ToolCall, ToolMessage, add_follow_up};

/// The last turn of a transcript, which waits for answers.
pub(super) struct PausedTurn<'a> {
    message: &'a AssistantMessage,
    requests: &'a DeferredToolRequests,
    /// Ids of the turn's calls that have their rows.
    answered: HashSet<&'a str>,
}

impl<'a> PausedTurn<'a> {
    /// Finds it, and refuses a transcript in which call and request don't fit.
    pub(super) fn find(messages: &'a [Message]) -> Result<Self, TinyAgentsError> {
        let (message, after) =
            last_assistant(messages).ok_or_else(|| refused("it has no message of an assistant"))?;
        let requests = message
            .deferred
            .as_deref()
            .filter(|requests| !requests.is_empty())
            .ok_or_else(|| refused("its last turn carries no deferred requests"))?;
        let rows = after.iter().filter_map(Message::as_tool);
        let answered: HashSet<&str> = rows.map(|row| row.call_id.as_str()).collect();
        for pending in requests.iter() {
            if !message.tool_calls.iter().any(|call| pending.is_of(call)) {
                let id = &pending.id;
                return Err(refused(&format!(
                    "call `{id}` is not as it was when it was deferred"
                )));
            }
        }
        for call in &message.tool_calls {
            let is_asked = requests.iter().any(|pending| pending.id == call.id);
            if !is_asked && !answered.contains(call.id.as_str()) {
                let id = &call.id;
                return Err(refused(&format!(
                    "call `{id}` has neither an answer nor a request"
                )));
            }
        }
        Ok(Self {
            message,
            requests,
            answered,
        })
    }

    /// Matches the results with what waits.
    pub(super) fn resolve(
        &self,
        results: DeferredToolResults,
        coverage: Coverage,
    ) -> Result<Vec<Resolved>, TinyAgentsError> {
        let own = self.message.tool_calls.iter().map(|call| &*call.id);
        // A row of another turn is no answer to a call of this one.
        let answered = own.filter(|id| self.answered.contains(id)).collect();
        resolve(self.requests, &answered, results, coverage)
    }
}

/// Refuses results that don't fit what waits.
pub(super) fn check(
    messages: &[Message],
    results: &DeferredToolResults,
) -> Result<(), TinyAgentsError> {
    let turn = PausedTurn::find(messages)?;
    turn.resolve(results.clone(), Coverage::All).map(drop)
}

/// Whether the call of the last turn has its row.
pub(super) fn is_answered(messages: &[Message], call_id: &str) -> bool {
    last_assistant(messages).is_some_and(|(_, after)| {
        let mut rows = after.iter().filter_map(Message::as_tool);
        rows.any(|row| row.call_id == call_id)
    })
}

/// The last message of an assistant, and what follows it.
fn last_assistant(messages: &[Message]) -> Option<(&AssistantMessage, &[Message])> {
    let position = messages.iter().rposition(is_assistant)?;
    Some((
        messages[position].as_assistant()?,
        &messages[position + 1..],
    ))
}

fn is_assistant(message: &Message) -> bool {
    matches!(message, Message::Assistant(_))
}

fn refused(reason: &str) -> TinyAgentsError {
    TinyAgentsError::Validation(format!("the transcript can't be resumed: {reason}"))
}

/// Brings the resolved calls of the paused turn to their end, and writes them into it.
pub(super) async fn resume(
    parts: Parts<'_>,
    turn: &Turn,
    ctx: &RunContext,
    run: &mut AgentRun,
    resolved: Vec<Resolved>,
) -> Result<Option<StopReason>, TinyAgentsError> {
    let calls: Vec<ToolCall> = resolved.iter().map(Resolved::as_call).collect();
    let mut batch = Batch::default();
    let outcome = turn.run_resolved(ctx, resolved, &mut batch).await;
    run.trace.add_batch(parts.recorder, turn, &calls, &batch);
    run.deferred = fold(&mut run.messages, &mut batch);
    let stop = conclude(run, batch);
    outcome?;
    Ok(stop)
}

/// Writes what became of resolved calls into the turn they were made in: rows in call order, then the follow-up; what
/// waits now in place of what waited. Gives what waits.
fn fold(messages: &mut Vec<Message>, batch: &mut Batch) -> Option<DeferredToolRequests> {
    let position = messages.iter().rposition(is_assistant)?;
    let tail = messages.split_off(position + 1);
    let Some(Message::Assistant(message)) = messages.last_mut() else {
        return None;
    };
    let resolved: HashSet<&str> = batch.calls.iter().map(|call| &*call.id).collect();
    let mut waiting = message
        .deferred
        .take()
        .map_or_else(Default::default, |it| *it);
    waiting.retain(|pending| !resolved.contains(&*pending.id));
    waiting.merge(batch.deferred.take().unwrap_or_default());
    let waiting = (!waiting.is_empty()).then_some(waiting);
    message.deferred = waiting.clone().map(Box::new);

    let order: Vec<String> = message
        .tool_calls
        .iter()
        .map(|call| call.id.clone())
        .collect();
    let mut rows = std::mem::take(&mut batch.messages);
    let mut others = Vec::new();
    for message in tail {
        match message {
            Message::Tool(row) => rows.push(row),
            other => others.push(other),
        }
    }
    let place = |row: &ToolMessage| order.iter().position(|id| *id == row.call_id);
    rows.sort_by_key(|row| place(row).unwrap_or(usize::MAX));
    messages.extend(rows.into_iter().map(Message::Tool));
    add_follow_up(&mut others, 0, std::mem::take(&mut batch.follow_up));
    messages.extend(others);
    waiting
}
