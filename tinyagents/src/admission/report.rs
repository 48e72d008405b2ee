//! The events of admission: what a host sees of a call that isn't as it should be.

use std::borrow::Cow;

use serde_json::Value;

use super::raw_text;
use crate::context::RunContext;
use crate::events::AgentEvent;
use crate::model::ToolCall;
use crate::redaction::REDACTED;
use crate::registry::RegisteredTool;

/// The arguments are told as they are, unless the name is that of a tool that is only not advertised.
pub(super) fn unknown_tool(
    ctx: &RunContext,
    registered: Option<&RegisteredTool>,
    call: &ToolCall,
    recovery: String,
) {
    ctx.emit_with(|| AgentEvent::UnknownToolCall {
        call_id: call.id.clone(),
        requested_name: call.name.clone(),
        arguments: shown_arguments(registered, &call.arguments).into_owned(),
        recovery,
    });
}

/// `tools` are the one that is called and the one that the model asked for: the values may belong to either.
pub(super) fn invalid_arguments<'t>(
    ctx: &RunContext,
    tools: impl IntoIterator<Item = &'t RegisteredTool>,
    call: &ToolCall,
    error: &str,
    recovery: &str,
) {
    ctx.emit_with(|| AgentEvent::InvalidToolArgs {
        call_id: call.id.clone(),
        tool_name: call.name.clone(),
        arguments: shown_arguments(tools, &call.arguments).into_owned(),
        error: error.to_owned(),
        recovery: recovery.to_owned(),
    });
}

/// The name alone: the value was the model's invention.
pub(super) fn forged(ctx: &RunContext, call: &ToolCall, parameter: &str) {
    ctx.emit_with(|| AgentEvent::ForgedHiddenArgument {
        call_id: call.id.clone(),
        tool_name: call.name.clone(),
        parameter: parameter.to_owned(),
    });
}

/// The call came through `tool_call`, and is told by the tool that it is really of.
pub(super) fn bridged(ctx: &RunContext, call: &ToolCall) {
    ctx.emit_with(|| AgentEvent::DeferredToolCall {
        call_id: call.id.clone(),
        tool_name: call.name.clone(),
    });
}

pub(super) fn not_allowed(ctx: &RunContext, call: &ToolCall, reason: &str) {
    ctx.emit_with(|| AgentEvent::ToolNotAllowed {
        call_id: call.id.clone(),
        tool_name: call.name.clone(),
        reason: reason.to_owned(),
    });
}

/// Names of arguments whose values must not be repeated.
pub(super) fn redacted(tool: &RegisteredTool) -> impl Iterator<Item = &str> {
    tool.policy().access.redact.iter().map(String::as_str)
}

/// The arguments as an event or a span may hold them: without what the tools want unsaid, and without forged hidden
/// values. Raw text, in which a value can't be found, stays only where it is sure to hold none.
pub(crate) fn shown_arguments<'a, 't>(
    tools: impl IntoIterator<Item = &'t RegisteredTool>,
    arguments: &'a Value,
) -> Cow<'a, Value> {
    let mut unsaid: Vec<&str> = Vec::new();
    let mut has_redacted = false;
    for tool in tools {
        unsaid.extend(redacted(tool));
        has_redacted |= !tool.policy().access.redact.is_empty();
        for name in tool.hidden_names() {
            unsaid.push(name);
        }
    }
    if unsaid.is_empty() {
        return Cow::Borrowed(arguments);
    }
    match arguments {
        Value::Object(object) => {
            let mut shown = object.clone();
            for name in unsaid {
                if let Some(value) = shown.get_mut(name) {
                    *value = Value::from(REDACTED);
                }
            }
            Cow::Owned(shown.into())
        }
        Value::String(text) if raw_text::names_none_of(text, &unsaid, has_redacted) => {
            Cow::Borrowed(arguments)
        }
        Value::Array(_)
            if raw_text::names_none_of(&arguments.to_string(), &unsaid, has_redacted) =>
        {
            Cow::Borrowed(arguments)
        }
        Value::String(_) | Value::Array(_) => Cow::Owned(Value::from(REDACTED)),
        _ => Cow::Borrowed(arguments),
    }
}
