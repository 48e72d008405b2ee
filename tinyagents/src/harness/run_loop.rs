//! The loop: turn after turn, until something ends the run.

use super::inline;
use super::parts::Parts;
use super::paused_turn::{PausedTurn, resume};
use super::turn::{Step, turn};
use super::unanswered::run_unanswered;
use super::wrapped::wrapped_turns;
use super::{AgentRun, StopReason};
use crate::context::RunContext;
use crate::deferred::{Coverage, DeferredToolResults};
use crate::discovery::names_found;
use crate::effects::last_assistant;
use crate::error::TinyAgentsError;
use crate::events::AgentEvent;
use crate::model::Message;

/// Runs a transcript to its end, from the answers to its deferred calls on where there are some. The `after_agent` hooks
/// of those middlewares run whose `before_agent` succeeded.
pub(super) async fn run(
    parts: Parts<'_>,
    ctx: RunContext,
    messages: Vec<Message>,
    results: Option<DeferredToolResults>,
) -> Result<AgentRun, TinyAgentsError> {
    if let Some(results) = &results {
        PausedTurn::find(&messages)?.resolve(results.clone(), Coverage::All)?;
    }
    // What tools need is checked before anything happens: a run doesn't fail halfway for it.
    ctx.run_tools()
        .promote(names_found(&messages).iter().map(String::as_str));
    let calls = messages.iter().flat_map(Message::tool_calls);
    ctx.meter().note_ids(calls.map(|call| call.id.as_str()));
    let first = parts.dispatcher.whole_turn(&ctx).await?;
    first.check_injections(&ctx)?;
    let scope = ctx.scope();
    // In the context, so that tools can see what is left.
    let mut ctx = ctx.with_limits(&parts.policy.limits);
    ctx.begin(&parts.policy.limits);
    let mut run = AgentRun {
        run_id: Some(ctx.run_id().clone()),
        thread_id: ctx.thread_id().cloned(),
        messages,
        ..AgentRun::default()
    };
    add_instructions(&mut run.messages, parts.instructions);
    add_instructions(&mut run.messages, &parts.sources.instructions(&ctx).await?);
    let mut entered = 0;
    let outcome = match parts
        .middleware
        .before_agent(&mut ctx, &mut run.messages, &mut entered)
        .await
    {
        Ok(()) if parts.middleware.wraps() => {
            Box::pin(wrapped_turns(parts, &mut ctx, &mut run, results)).await
        }
        Ok(()) => turns(parts, &mut ctx, &mut run, results).await,
        Err(failed) => Ok(StopReason::Middleware(failed.to_string())),
    };
    run.promoted_tools = ctx.promoted_tools();
    run.scope = scope.ended_as(&ctx);
    match outcome {
        Ok(stop) => {
            tell_control(&ctx, &stop);
            run.stop = stop;
        }
        Err(error) => {
            // The error that ended the run is the one to tell, whatever a hook makes of the end.
            let after = parts.middleware.after_agent(entered, &mut ctx, &mut run);
            let _ = after.await;
            ctx.keep_failed_run(run);
            return Err(error);
        }
    }
    let after = parts.middleware.after_agent(entered, &mut ctx, &mut run);
    if let Err(failed) = after.await {
        run.stop = StopReason::Middleware(failed.to_string());
    }
    Ok(run)
}

/// Tells of a run that ends by a cancellation, a deadline or a limit.
fn tell_control(ctx: &RunContext, stop: &StopReason) {
    let (control, detail) = match stop {
        StopReason::Cancelled => ("cancelled", None),
        StopReason::Deadline => ("deadline", None),
        StopReason::Limit(limit) => ("limit", Some(limit.to_string())),
        _ => return,
    };
    ctx.emit_with(|| AgentEvent::ControlApplied {
        control: control.to_owned(),
        detail,
    });
}

/// Turn after turn, until something ends the run.
pub(super) async fn turns(
    parts: Parts<'_>,
    ctx: &mut RunContext,
    run: &mut AgentRun,
    results: Option<DeferredToolResults>,
) -> Result<StopReason, TinyAgentsError> {
    let direct = recorded_direct(ctx, &run.messages);
    run.tool_metadata
        .extend(ctx.run_tools().take_recorded_metadata());
    if let Some(results) = results {
        let turn = parts.dispatcher.whole_turn(ctx).await?.for_definition(ctx);
        turn.show_to(ctx);
        // Once more, since a middleware may have changed the transcript.
        let resolved = PausedTurn::find(&run.messages)?.resolve(results, Coverage::All)?;
        let stop = resume(parts, &turn, ctx, run, resolved).await?;
        if let Some(stop) = inline::handled(parts, &turn, ctx, run, stop).await? {
            return Ok(stop);
        }
    } else if let Some(stop) = Box::pin(run_unanswered(parts, ctx, run)).await? {
        return Ok(stop);
    }
    if direct.is_some() {
        run.final_text = direct;
        return Ok(StopReason::ReturnDirect);
    }
    loop {
        match turn(parts, ctx, run).await? {
            Step::Continue => {}
            Step::Stop(stop) => return Ok(stop),
        }
    }
}

/// The answer out of the effect ledger that ends the run, unless something has been said since.
fn recorded_direct(ctx: &RunContext, messages: &[Message]) -> Option<String> {
    let direct = ctx.run_tools().direct()?;
    let turn = last_assistant(messages)?;
    let after = messages.get(turn + 1..)?;
    let mut rows = after.iter().filter_map(Message::as_tool);
    let row = rows.find(|row| row.call_id == direct.call_id);
    if row.is_none() || after.len() != direct.followers {
        ctx.run_tools().forget_direct();
        return None;
    }
    row.map(|row| row.content.clone())
}

/// Appends the instructions to the system prompt; makes one where there is none.
fn add_instructions(messages: &mut Vec<Message>, instructions: &[String]) {
    if instructions.is_empty() {
        return;
    }
    let added = instructions.join("\n\n");
    match messages.first_mut() {
        Some(Message::System(prompt)) => {
            // A transcript that is run again has them already.
            if !prompt.content.contains(&added) {
                prompt.content.push_str("\n\n");
                prompt.content.push_str(&added);
            }
        }
        _ => messages.insert(0, Message::system(added)),
    }
}
