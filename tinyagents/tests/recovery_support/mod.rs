//! What the tests of mended arguments share.

#![allow(dead_code, missing_docs, unreachable_pub)]

use serde_json::Value;
use tinyagents::runtime::{Batch, InvalidArgsPolicy, RunPolicy};
use tinyagents::{AgentEvent, EventLog, RunContext, ToolCall};

use crate::lifecycle_support::{Made, dispatch, dispatcher};

/// An `InvalidToolArgs` event: arguments, error, recovery.
pub type Told = (Value, String, String);

pub fn told(log: &EventLog) -> Vec<Told> {
    log.events()
        .iter()
        .filter_map(|event| match event {
            AgentEvent::InvalidToolArgs {
                arguments,
                error,
                recovery,
                ..
            } => Some((arguments.clone(), error.clone(), recovery.clone())),
            _ => None,
        })
        .collect()
}

pub async fn sent(tool: &Made, policy: RunPolicy, call: ToolCall) -> (Batch, Vec<Told>) {
    let log = EventLog::new();
    let ctx = RunContext::new().with_events(log.clone());
    let batch = dispatch(
        &dispatcher([tool.clone()]).with_policy(policy),
        &ctx,
        vec![call],
    )
    .await;
    (batch, told(&log))
}

pub fn raw(text: &str) -> ToolCall {
    ToolCall::from_text("c1", "echo", text)
}

pub fn normalizing() -> RunPolicy {
    RunPolicy {
        invalid_args: InvalidArgsPolicy::NormalizeThenReturnToolError,
        ..RunPolicy::default()
    }
}
