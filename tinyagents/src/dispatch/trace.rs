//! The span of one call, by the names of OpenTelemetry's conventions for generative AI.
//!
//! Source: the `execute_tool` span of <https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-agent-spans/>, which was
//! in development when this was written, and its `gen_ai.agent.name` of
//! <https://github.com/open-telemetry/semantic-conventions-genai>, where the conventions have moved since. Fields that
//! begin with `otel.` are what bridges from `tracing` to OpenTelemetry read.

use serde_json::Value;
use tinytools::ToolErrorClass;
use tracing::field::Empty;
use tracing::level_filters::LevelFilter;
use tracing::{Level, Span};

use crate::admission::{ReadyCall, shown_arguments};
use crate::model::ToolMessage;
use crate::redaction::Redactor;

/// Whether somebody may collect such spans. Who collects nothing of their level has no use for what they are made of.
pub(super) fn may_be_wanted() -> bool {
    Level::INFO <= LevelFilter::current()
}

/// The span of a call that runs; nothing but a look at a flag where nobody collects it.
pub(super) fn span(ready: &ReadyCall<'_, '_>, with_content: bool) -> Span {
    let ReadyCall {
        call, tool, ctx, ..
    } = ready;
    let span = tracing::span!(
        Level::INFO,
        "execute_tool",
        otel.name = %format_args!("execute_tool {}", tool.name()),
        otel.kind = "internal",
        otel.status_code = Empty,
        error.r#type = Empty,
        gen_ai.operation.name = "execute_tool",
        gen_ai.agent.name = Empty,
        gen_ai.conversation.id = Empty,
        gen_ai.tool.name = tool.name(),
        gen_ai.tool.r#type = "function",
        gen_ai.tool.description = tool.schema().description.as_str(),
        gen_ai.tool.call.id = call.id.as_str(),
        gen_ai.tool.call.arguments = Empty,
        gen_ai.tool.call.result = Empty,
    );
    if span.is_disabled() {
        return span;
    }
    if let Some(name) = ctx.agent_name() {
        span.record("gen_ai.agent.name", name);
    }
    if let Some(thread_id) = ctx.thread_id() {
        span.record("gen_ai.conversation.id", thread_id.as_str());
    }
    if with_content {
        let shown: &Value = &shown_arguments([*tool], &call.arguments);
        span.record("gen_ai.tool.call.arguments", tracing::field::display(shown));
    }
    span
}

/// Says in the span how the call ended.
pub(super) fn end(
    span: &Span,
    ready: &ReadyCall<'_, '_>,
    row: Option<&ToolMessage>,
    class: Option<ToolErrorClass>,
    with_content: bool,
) {
    let Some(row) = row.filter(|_| !span.is_disabled()) else {
        return;
    };
    if row.is_error {
        span.record("otel.status_code", "ERROR");
        let ty = match class {
            Some(ToolErrorClass::Retryable) => "retryable",
            Some(ToolErrorClass::Hard) => "hard",
            _ => "repairable",
        };
        span.record("error.type", ty);
    }
    if with_content {
        let redactor = Redactor::new(ready.tool, &ready.call.arguments);
        let shown = redactor.apply(row.content.clone());
        span.record("gen_ai.tool.call.result", shown.as_str());
    }
}
