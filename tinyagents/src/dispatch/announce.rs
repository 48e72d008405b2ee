//! What the host hears of a call: its start, and one terminal event.

use serde_json::Value;
use tokio::time::Instant;

use super::execution::Failure;
use super::slot::Settled;
use crate::context::RunContext;
use crate::events::AgentEvent;
use crate::model::{ToolCall, ToolMessage};

/// Answers a call that nobody has looked at.
pub(super) fn refuse(
    ctx: &RunContext,
    requested: &ToolCall,
    text: String,
    settled: &mut Settled<'_>,
) {
    let started = started(ctx, requested);
    let failure = Some(Failure::hard(text.clone()));
    let row = ToolMessage::error(&requested.id, &requested.name, text);
    finished(ctx, &requested.name, &row, failure, None, started);
    settled.row = Some(row);
    settled.is_refused = true;
}

/// Tells of the start; the clock is read only where somebody listens.
pub(super) fn started(ctx: &RunContext, call: &ToolCall) -> Option<Instant> {
    if let Some(recorder) = ctx.recorder() {
        recorder.begin_call(call);
    }
    ctx.emit_with(|| AgentEvent::ToolStarted {
        call_id: call.id.clone(),
        tool_name: call.name.clone(),
    });
    ctx.has_events().then(Instant::now)
}

/// The one terminal event of a call that has a row.
pub(super) fn finished(
    ctx: &RunContext,
    tool_name: &str,
    row: &ToolMessage,
    failure: Option<Failure>,
    metadata: Option<&Value>,
    started: Option<Instant>,
) {
    ctx.emit_last(|| {
        let duration_ms = started.map_or(0, |started| {
            u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX)
        });
        let call_id = row.call_id.clone();
        let tool_name = tool_name.to_owned();
        let metadata = metadata.cloned();
        let Some(Failure { class, detail }) = failure else {
            return AgentEvent::ToolCompleted {
                call_id,
                tool_name,
                duration_ms,
                result_bytes: row.content.len(),
                metadata,
            };
        };
        AgentEvent::ToolFailed {
            call_id,
            tool_name,
            class,
            error: detail.unwrap_or_else(|| row.content.clone()),
            duration_ms,
            metadata,
        }
    });
}
