//! Bringing a transcript and the ledger together after a crash.

use std::sync::Arc;

use tinytools::ToolReplay;

use super::open_effect::tell_reconciled;
use super::request_hash::request_hash;
use super::{LedgerError, ToolEffect, ToolEffectLedger, ToolEffectSettle, ToolEffectStatus};
use crate::context::{RunContext, RunId};
use crate::model::{Message, ToolCall, ToolMessage};
use crate::registry::{Catalogue, RegisteredTool};
use crate::toolset::DirectAnswer;

/// Answers the calls of the last assistant turn that have a row and no answer, except those that may run again.
///
/// The transcript is changed only when every call has been looked at without a failure. Running it once more changes
/// nothing, unless somebody else has settled a row meanwhile. An answer that ends the run is noted in its context.
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
    let mut rows = Vec::new();
    let mut direct = None;
    for (position, call) in messages[turn].tool_calls().iter().enumerate() {
        if call.id.is_empty() || is_answered(messages, turn, &call.id) {
            continue;
        }
        let Some(effect) = newest(ledger, run_id, call).await? else {
            continue;
        };
        let tool = catalogue.by_identity(&effect.tool_name);
        if let Some(row) = resolve(ctx, ledger, catalogue, call, effect).await? {
            if !row.is_error && tool.is_some_and(|tool| RegisteredTool::return_direct(tool)) {
                direct.get_or_insert_with(|| call.id.clone());
            }
            rows.push((position, row));
        }
    }
    for (position, row) in rows {
        let place = tool_position(messages, turn, position);
        forget_request(&mut messages[turn], &row.call_id);
        messages.insert(place, row.into());
    }
    if let Some(call_id) = direct.filter(|_| run_id == ctx.run_id()) {
        let followers = messages.len() - turn - 1;
        ctx.run_tools()
            .set_direct(Some(DirectAnswer { call_id, followers }));
    }
    Ok(())
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
) -> Result<Option<ToolMessage>, LedgerError> {
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
            ToolMessage::new("", "", text)
        }
        None if effect.status == ToolEffectStatus::Failed => {
            let text = format!("`{}` failed; why was not kept", effect.tool_name);
            ToolMessage::error("", "", text)
        }
        None => interrupted(call, &effect.tool_name),
    };
    answer.call_id.clone_from(&call.id);
    answer.tool_name.clone_from(&call.name);
    Ok(Some(answer))
}

fn interrupted(call: &ToolCall, tool_name: &str) -> ToolMessage {
    let text = format!(
        "`{tool_name}` was interrupted before settlement; its effect may have happened, and it was not run again"
    );
    ToolMessage::error(&call.id, &call.name, text)
}
