//! Arguments that could not be read, read after all.

use serde_json::Value;

use super::{CurrentCall, relaxed_json::recover_relaxed_object, report};
use crate::context::RunContext;
use crate::registry::RegisteredTool;

/// Mends the text of an invalid call and reports it with the text as it was, if it can be mended. `tools` are the one that is
/// called and the one that the model asked for.
pub(super) fn repair<'t>(
    ctx: &RunContext,
    tools: impl IntoIterator<Item = &'t RegisteredTool>,
    call: &mut CurrentCall<'_>,
) {
    if let (Some(reason), Value::String(text)) = (&call.invalid, &call.arguments)
        && let Some(object) = recover_relaxed_object(text)
    {
        report::invalid_arguments(ctx, tools, call, reason, "repaired");
        let call = call.to_mut();
        call.arguments = Value::Object(object);
        call.invalid = None;
    }
}
