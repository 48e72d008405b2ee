//! The loop: ask the model, dispatch its calls, until something ends the run.

use std::sync::Arc;

use super::inline;
use super::paused_turn::{self, PausedTurn};
use super::trace;
use super::unanswered::run_unanswered;
use super::wrapped::{WrappedRequest, wrapped_turns};
use super::{AgentRun, RunLimits, RunPolicy, StopReason};
use crate::context::RunContext;
use crate::deferred::{Coverage, DeferredToolHandler, DeferredToolResults, Resolved};
use crate::dialect::Session;
use crate::discovery::names_found;
use crate::dispatch::{Batch, Dispatcher, Turn, interrupted, interruption};
use crate::effects::last_assistant;
use crate::error::TinyAgentsError;
use crate::events::AgentEvent;
use crate::middleware::MiddlewareStack;
use crate::model::{AssistantMessage, ChatModel, Message, ModelRequest, ModelResponse, ToolCall};
use crate::timeline::Recorder;
use crate::toolset::ToolSources;

/// What a run is made of.
#[derive(Clone, Copy)]
pub(super) struct Parts<'a> {
    pub(super) model: &'a dyn ChatModel,
    pub(super) dispatcher: &'a Dispatcher,
    pub(super) policy: &'a RunPolicy,
    pub(super) middleware: &'a MiddlewareStack,
    /// Appended to the system prompt, once, in order.
    pub(super) instructions: &'a [String],
    /// Who answers deferred calls while the run waits.
    pub(super) deferred_handler: Option<&'a dyn DeferredToolHandler>,
    /// What keeps the times of the run's calls; the context has it, too.
    pub(super) recorder: &'a Recorder,
    /// The toolsets, which have instructions of their own.
    pub(super) sources: &'a Arc<ToolSources>,
}

/// Whether the loop goes on.
pub(super) enum Step {
    Continue,
    Stop(StopReason),
}

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

/// One request, and the dispatch of the calls in its response.
async fn turn(
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
    run.deferred = paused_turn::fold(&mut run.messages, &mut batch);
    let stop = conclude(run, batch);
    outcome?;
    Ok(stop)
}

/// What a request brings: the turn with the tools that were sent and the response, or the end of the run.
type Asked = Result<(Turn, ModelResponse), StopReason>;

async fn ask(
    parts: Parts<'_>,
    ctx: &RunContext,
    run: &mut AgentRun,
    turn: Turn,
    mut request: ModelRequest,
) -> Result<Asked, TinyAgentsError> {
    ctx.emit_with(|| turn.advertised_event());
    // After the middlewares, which see the transcript and the tools as they are, and never a dialect's text.
    let profile = parts.model.profile();
    let session = Session::open(parts.policy.tool_dialect, &profile, &mut request);
    run.model_calls += 1;
    let asked = parts.recorder.now();
    let response = tokio::select! {
        biased;
        response = trace::chat(ctx, parts.model, parts.middleware, &session, &profile, request) => Ok(response),
        stop = interrupted(ctx) => Err(stop),
    };
    run.trace.add_request(asked, parts.recorder.now());
    let mut response: ModelResponse = match response {
        Ok(response) => response?,
        Err(stop) => return Ok(Err(stop)),
    };
    run.usage += response.usage;
    session.read(&mut response);
    Ok(Ok((turn, response)))
}

/// The same inside of the wrap hooks.
async fn ask_wrapped(
    parts: Parts<'_>,
    ctx: &mut RunContext,
    run: &mut AgentRun,
    turn: Turn,
    request: ModelRequest,
    limits: &RunLimits,
) -> Result<Asked, TinyAgentsError> {
    let core = WrappedRequest::new(parts, &turn, limits);
    // The hooks may change the context; this one tells of the run's end.
    let outer = ctx.clone();
    let answered = tokio::select! {
        biased;
        answered = parts.middleware.wrap_model(ctx, request, &core) => Ok(answered),
        stop = interrupted(&outer) => Err(stop),
    };
    let mut asked = core.into_asked();
    for (start, end) in asked.spans.drain(..) {
        run.trace.add_request(start, end);
    }
    run.model_calls += asked.model_calls;
    run.usage += asked.usage;
    match answered {
        Ok(Ok(response)) => Ok(Ok((asked.turn.take().unwrap_or(turn), response))),
        Ok(Err(failed)) => asked.outcome(failed).map(Err),
        Err(stop) => Ok(Err(stop)),
    }
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
