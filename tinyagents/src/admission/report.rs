//! The events of admission: what a host sees of a call that isn't as it should be.

use serde_json::Value;

use crate::context::RunContext;
use crate::events::AgentEvent;
use crate::model::ToolCall;
use crate::registry::RegisteredTool;

/// What stands in an event where a value must not be repeated.
const WITHHELD: &str = "[withheld]";

pub(super) fn unknown_tool(ctx: &RunContext, call: &ToolCall, recovery: String) {
    ctx.emit_with(|| AgentEvent::UnknownToolCall {
        call_id: call.id.clone(),
        requested_name: call.name.clone(),
        arguments: call.arguments.clone(),
        recovery,
    });
}

pub(super) fn invalid_arguments(
    ctx: &RunContext,
    tool: &RegisteredTool,
    call: &ToolCall,
    error: &str,
    recovery: &str,
) {
    ctx.emit_with(|| AgentEvent::InvalidToolArgs {
        call_id: call.id.clone(),
        tool_name: call.name.clone(),
        arguments: shown_arguments(tool, &call.arguments),
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

/// The arguments as an event may hold them.
fn shown_arguments(tool: &RegisteredTool, arguments: &Value) -> Value {
    let mut shown = arguments.clone();
    match &mut shown {
        Value::Object(object) => {
            for name in redacted(tool) {
                if let Some(value) = object.get_mut(name) {
                    *value = Value::from(WITHHELD);
                }
            }
        }
        // Raw text may hold any of them, and a forged hidden value too.
        Value::String(_) if redacted(tool).next().is_some() || !tool.injected().is_empty() => {
            shown = Value::from(WITHHELD);
        }
        _ => {}
    }
    shown
}
