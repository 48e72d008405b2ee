//! The spans of a run and of its requests, by the names of OpenTelemetry's conventions for generative AI.
//!
//! Source: `invoke_agent.internal` and `inference.client` of
//! <https://github.com/open-telemetry/semantic-conventions-genai>, which was in development when this was written. The
//! conventions have no `gen_ai.agent.id` for an agent that runs in the same process. No span holds a word of the
//! transcript, and none an error's text.

use tracing::field::Empty;
use tracing::{Instrument as _, Level, Span};

use super::AgentRun;
use super::answer::answer;
use crate::context::RunContext;
use crate::dialect::Session;
use crate::error::TinyAgentsError;
use crate::middleware::MiddlewareStack;
use crate::model::{ChatModel, ModelError, ModelProfile, ModelRequest, ModelResponse, Usage};

/// The span of a whole run.
pub(super) fn agent_span(ctx: &RunContext) -> Span {
    let span = tracing::span!(
        Level::INFO,
        "invoke_agent",
        otel.name = "invoke_agent",
        otel.kind = "internal",
        otel.status_code = Empty,
        error.r#type = Empty,
        gen_ai.operation.name = "invoke_agent",
        gen_ai.agent.name = Empty,
        gen_ai.conversation.id = Empty,
        gen_ai.usage.input_tokens = Empty,
        gen_ai.usage.output_tokens = Empty,
    );
    if span.is_disabled() {
        return span;
    }
    if let Some(name) = ctx.agent_name() {
        span.record(
            "otel.name",
            tracing::field::display(format_args!("invoke_agent {name}")),
        );
    }
    record_origin(&span, ctx);
    span
}

/// Says in the span how the run ended.
pub(super) fn end_agent(span: &Span, outcome: &Result<AgentRun, TinyAgentsError>) {
    match outcome {
        Ok(run) => record_usage(span, run.usage),
        Err(TinyAgentsError::Model(error)) => record_error(span, model_error(error)),
        Err(error) => record_error(span, run_error(error)),
    }
}

/// Asks the model, in a span of its own.
pub(super) async fn chat(
    ctx: &RunContext,
    model: &dyn ChatModel,
    middleware: &MiddlewareStack,
    session: &Session,
    profile: &ModelProfile,
    request: ModelRequest,
) -> Result<ModelResponse, ModelError> {
    let span = chat_span(ctx, profile, &request);
    let response = match profile.check_tools(&request.tools) {
        Ok(()) => {
            let answer = answer(model, middleware, session, ctx, request);
            answer.instrument(span.clone()).await
        }
        Err(refused) => Err(refused),
    };
    match &response {
        Ok(response) => record_usage(&span, response.usage),
        Err(error) => record_error(&span, model_error(error)),
    }
    response
}

fn chat_span(ctx: &RunContext, profile: &ModelProfile, request: &ModelRequest) -> Span {
    let span = tracing::span!(
        Level::INFO,
        "chat",
        otel.name = "chat",
        otel.kind = "client",
        otel.status_code = Empty,
        error.r#type = Empty,
        gen_ai.operation.name = "chat",
        gen_ai.provider.name = profile.provider.as_deref().unwrap_or("_OTHER"),
        gen_ai.request.model = Empty,
        gen_ai.request.max_tokens = request.max_output_tokens,
        gen_ai.agent.name = Empty,
        gen_ai.conversation.id = Empty,
        gen_ai.usage.input_tokens = Empty,
        gen_ai.usage.output_tokens = Empty,
        gen_ai.usage.cache_read.input_tokens = Empty,
    );
    if span.is_disabled() {
        return span;
    }
    if let Some(model) = &profile.model {
        span.record(
            "otel.name",
            tracing::field::display(format_args!("chat {model}")),
        );
        span.record("gen_ai.request.model", model.as_str());
    }
    record_origin(&span, ctx);
    span
}

/// Whose run it is.
fn record_origin(span: &Span, ctx: &RunContext) {
    if let Some(name) = ctx.agent_name() {
        span.record("gen_ai.agent.name", name);
    }
    if let Some(thread_id) = ctx.thread_id() {
        span.record("gen_ai.conversation.id", thread_id.as_str());
    }
}

/// Nothing is known of the cost where nothing is counted.
fn record_usage(span: &Span, usage: Usage) {
    if usage == Usage::default() {
        return;
    }
    span.record("gen_ai.usage.input_tokens", usage.input_tokens);
    span.record("gen_ai.usage.output_tokens", usage.output_tokens);
    span.record(
        "gen_ai.usage.cache_read.input_tokens",
        usage.cached_input_tokens,
    );
}

fn record_error(span: &Span, kind: &'static str) {
    span.record("otel.status_code", "ERROR");
    span.record("error.type", kind);
}

fn model_error(error: &ModelError) -> &'static str {
    match error {
        ModelError::Unavailable { .. } => "unavailable",
        ModelError::RateLimited { .. } => "rate_limited",
        ModelError::TimedOut(_) => "timeout",
        ModelError::Unauthorized(_) => "unauthorized",
        ModelError::NotFound(_) => "not_found",
        ModelError::ContextLength(_) => "context_length",
        ModelError::Refused(_) => "refused",
        ModelError::ToolsBeyondProfile(_) => "tools_beyond_profile",
        ModelError::ToolsUnsupported => "tools_unsupported",
        ModelError::InvalidResponse(_) => "invalid_response",
        ModelError::ScriptEnded { .. } | ModelError::Other(_) => "_OTHER",
    }
}

fn run_error(error: &TinyAgentsError) -> &'static str {
    match error {
        TinyAgentsError::ToolNotFound(_) => "tool_not_found",
        TinyAgentsError::InvalidArguments { .. } => "invalid_arguments",
        TinyAgentsError::ToolNotAllowed { .. } => "tool_not_allowed",
        TinyAgentsError::ToolSet(_) => "toolset",
        TinyAgentsError::MissingInjection { .. } => "missing_injection",
        TinyAgentsError::MissingCredential { .. } => "missing_credential",
        TinyAgentsError::Validation(_) | TinyAgentsError::DeferredResults(_) => "misuse",
        TinyAgentsError::Ledger(_) => "ledger",
        _ => "_OTHER",
    }
}
