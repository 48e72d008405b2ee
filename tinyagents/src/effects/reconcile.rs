//! Bringing a transcript and the ledger together after a crash.

use std::sync::Arc;

use tinytools::{ToolContent, ToolReplay};

use super::open_effect::tell_reconciled;
use super::request_hash::request_hash;
use super::{
    LedgerError, RecordedAnswer, ToolEffect, ToolEffectLedger, ToolEffectSettle, ToolEffectStatus,
};
use crate::context::{RunContext, RunId};
use crate::harness::ToolResultMetadata;
use crate::model::{Message, ToolCall, ToolMessage, add_follow_up};
use crate::registry::{Catalogue, RegisteredTool};
use crate::toolset::DirectAnswer;

/// Answers the calls of the last assistant turn that have a row and no answer, except those that may run again.
///
/// The transcript is changed only when every call has been looked at without a failure. Running it once more changes
/// nothing, unless somebody else has settled a row meanwhile. What is for the host alone is noted in the
/// run's context, and so is an answer that ends the run.
pub(crate) async fn reconcile(
    ctx: &RunContext,
    ledger: &Arc<dyn ToolEffectLedger>,
    catalogue: &Catalogue,
    run_id: &RunId,
    messages: &mut Vec<Message>,
) -> Result<(), LedgerError> {
    let Some(turn) = last_assistant(messages) else {
        return Ok(());
    };
    // Nobody else may begin anything in the run that is looked at here.
    ledger.take_over(run_id.as_str()).await?;
    let mut answers = Vec::new();
    let mut direct = None;
    let mut metadata = Vec::new();
    for (position, call) in messages[turn].tool_calls().iter().enumerate() {
        if call.id.is_empty() || is_answered(messages, turn, &call.id) {
            continue;
        }
        let Some(effect) = newest(ledger, run_id, call).await? else {
            continue;
        };
        let tool_name = effect.tool_name.clone();
        let tool = catalogue.by_identity(&tool_name);
        if let Some(mut answer) = resolve(ctx, ledger, catalogue, call, effect).await? {
            if answer.ends_run(tool.is_some_and(|tool| RegisteredTool::return_direct(tool))) {
                direct.get_or_insert_with(|| call.id.clone());
            }
            metadata.extend(answer.metadata.take().map(|metadata| ToolResultMetadata {
                call_id: call.id.clone(),
                tool_name,
                metadata,
            }));
            answers.push((position, answer));
        }
    }
    if answers.is_empty() {
        return Ok(());
    }
    let is_waiting = waits(&messages[turn]);
    let follow_up = follow_up(ledger, run_id, messages, turn, &mut answers).await?;
    for (position, answer) in answers {
        let place = tool_position(messages, turn, position);
        forget_request(&mut messages[turn], &answer.row.call_id);
        messages.insert(place, answer.row.into());
    }
    let end = end_of_rows(messages, turn);
    match Message::follow_up(follow_up) {
        // What the calls left that were answered at once is there already.
        Some(message) if is_waiting => add_follow_up(messages, end, vec![message]),
        message => drop(messages.splice(end..end, message)),
    }
    if run_id == ctx.run_id() {
        let followers = messages.len() - turn - 1;
        let direct = direct.map(|call_id| DirectAnswer { call_id, followers });
        ctx.run_tools().note_recorded(direct, metadata);
    }
    Ok(())
}

fn waits(turn: &Message) -> bool {
    turn.as_assistant()
        .is_some_and(|turn| turn.deferred.is_some())
}

/// The place after the rows of the turn.
fn end_of_rows(messages: &[Message], turn: usize) -> usize {
    let rows = messages[turn + 1..].iter().map_while(Message::as_tool);
    turn + 1 + rows.count()
}

/// What the message after the rows lacks: what these answers add to it, and what earlier ones did where it isn't there.
/// As long as calls of the turn are left to the loop it is not made.
async fn follow_up(
    ledger: &Arc<dyn ToolEffectLedger>,
    run_id: &RunId,
    messages: &[Message],
    turn: usize,
    answers: &mut [(usize, RecordedAnswer)],
) -> Result<Vec<ToolContent>, LedgerError> {
    let has_followers = end_of_rows(messages, turn) < messages.len();
    let is_whole = !waits(&messages[turn]) && !has_followers;
    let mut blocks = Vec::new();
    for (position, call) in messages[turn].tool_calls().iter().enumerate() {
        let own = answers
            .iter_mut()
            .find(|(answered, _)| *answered == position);
        if let Some((_, answer)) = own {
            blocks.append(&mut answer.follow_up);
        } else if is_whole {
            if !is_answered(messages, turn, &call.id) {
                return Ok(Vec::new());
            }
            blocks.append(&mut recorded_follow_up(ledger, run_id, call).await?);
        }
    }
    Ok(blocks)
}

/// What a call that was answered before adds to the message after the rows.
pub(crate) async fn recorded_follow_up(
    ledger: &Arc<dyn ToolEffectLedger>,
    run_id: &RunId,
    call: &ToolCall,
) -> Result<Vec<ToolContent>, LedgerError> {
    let effect = newest(ledger, run_id, call).await?;
    let answer = effect.and_then(|effect| effect.answer);
    Ok(answer.map(|answer| answer.follow_up).unwrap_or_default())
}

/// A call that has its answer waits for none.
fn forget_request(turn: &mut Message, call_id: &str) {
    let Message::Assistant(turn) = turn else {
        return;
    };
    if let Some(mut requests) = turn.deferred.take() {
        requests.retain(|pending| pending.id != call_id);
        turn.deferred = (!requests.is_empty()).then_some(requests);
    }
}

pub(crate) fn last_assistant(messages: &[Message]) -> Option<usize> {
    messages
        .iter()
        .rposition(|message| message.as_assistant().is_some())
}

pub(crate) fn is_answered(messages: &[Message], turn: usize, call_id: &str) -> bool {
    let rows = messages[turn..].iter().filter_map(Message::as_tool);
    rows.into_iter().any(|row| row.call_id == call_id)
}

/// Where the row of the call at that position of the turn belongs, so that rows are in call order.
pub(crate) fn tool_position(messages: &[Message], turn: usize, position: usize) -> usize {
    let later = &messages[turn].tool_calls()[position + 1..];
    let rows = messages[turn + 1..].iter().map_while(Message::as_tool);
    let before = rows.take_while(|row| later.iter().all(|call| call.id != row.call_id));
    turn + 1 + before.count()
}

/// The newest row of the call. One of an earlier turn's call with the same id is told by what that asked for; a started
/// one is never passed over, since the arguments may have been another's choice.
async fn newest(
    ledger: &Arc<dyn ToolEffectLedger>,
    run_id: &RunId,
    call: &ToolCall,
) -> Result<Option<ToolEffect>, LedgerError> {
    let hash = request_hash(call);
    let rows = ledger.of_call(run_id.as_str(), &call.id).await?;
    Ok(rows
        .into_iter()
        .rfind(|row| row.request_hash == hash || row.status == ToolEffectStatus::Started))
}

/// The answer of a call, and its row settled; `None` for one that the loop is to run.
async fn resolve(
    ctx: &RunContext,
    ledger: &Arc<dyn ToolEffectLedger>,
    catalogue: &Catalogue,
    call: &ToolCall,
    mut effect: ToolEffect,
) -> Result<Option<RecordedAnswer>, LedgerError> {
    // What the tool says now counts as well as what it said then; one that isn't there says nothing.
    let now = catalogue.by_identity(&effect.tool_name);
    let is_safe = effect.replay == ToolReplay::Safe
        && now.is_some_and(|tool| tool.policy().runtime.replay == ToolReplay::Safe);
    if effect.status == ToolEffectStatus::Started {
        let answer = (!is_safe).then(|| interrupted(call, &effect.tool_name));
        let settled = ledger
            .settled(ToolEffectSettle {
                tool_name: effect.tool_name.clone(),
                key: effect.key.clone(),
                claim: effect.claim,
                status: ToolEffectStatus::Interrupted,
                answer: answer.clone(),
                attempts: 1,
            })
            .await;
        match settled {
            Ok(()) => {
                let outcome = if is_safe { "replay" } else { "interrupted" };
                tell_reconciled(ctx, &call.id, &effect.tool_name, outcome);
                return Ok(answer);
            }
            // The call was not dead after all, and has come to its own end since.
            Err(LedgerError::AlreadySettled { .. }) => {
                let rows = ledger.of_call(effect.run_id.as_str(), &call.id).await?;
                let key = effect.key.as_str();
                match rows.into_iter().rfind(|row| row.key == key) {
                    Some(settled) => effect = settled,
                    None => return Ok(Some(interrupted(call, &effect.tool_name))),
                }
            }
            Err(error) => return Err(error),
        }
    }
    if effect.status == ToolEffectStatus::Interrupted && is_safe {
        return Ok(None);
    }
    let outcome = if effect.status.is_final() {
        "recorded"
    } else {
        "interrupted"
    };
    tell_reconciled(ctx, &call.id, &effect.tool_name, outcome);
    let mut answer = match effect.answer {
        Some(answer) => answer,
        None if effect.status == ToolEffectStatus::Completed => {
            let text = format!("`{}` completed; its result was not kept", effect.tool_name);
            ToolMessage::new("", "", text).into()
        }
        None if effect.status == ToolEffectStatus::Failed => {
            let text = format!("`{}` failed; why was not kept", effect.tool_name);
            ToolMessage::error("", "", text).into()
        }
        None => interrupted(call, &effect.tool_name),
    };
    answer.row.call_id.clone_from(&call.id);
    answer.row.tool_name.clone_from(&call.name);
    Ok(Some(answer))
}

fn interrupted(call: &ToolCall, tool_name: &str) -> RecordedAnswer {
    let text = format!(
        "`{tool_name}` was interrupted before settlement; its effect may have happened, and it was not run again"
    );
    ToolMessage::error(&call.id, &call.name, text).into()
}
