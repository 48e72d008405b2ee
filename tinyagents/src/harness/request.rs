//! A request of a run, and what comes of it.

use super::parts::Parts;
use super::trace;
use super::wrapped::WrappedRequest;
use super::{AgentRun, RunLimits, StopReason};
use crate::context::RunContext;
use crate::dialect::Session;
use crate::dispatch::{Turn, interrupted};
use crate::error::TinyAgentsError;
use crate::model::{ModelRequest, ModelResponse};

/// What a request brings: the turn with the tools that were sent and the response, or the end of the run.
pub(super) type Asked = Result<(Turn, ModelResponse), StopReason>;

pub(super) async fn ask(
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
pub(super) async fn ask_wrapped(
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
