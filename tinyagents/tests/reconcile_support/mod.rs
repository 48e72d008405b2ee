//! What the tests of reconciliation share.

#![allow(dead_code, missing_docs, unreachable_pub, clippy::unwrap_used)]

use std::sync::Arc;

use tinyagents::effects::MemoryLedger;
use tinyagents::model::Message;
use tinyagents::runtime::{AgentHarness, Dispatcher, ToolRegistry};
use tinyagents::tinytools::ToolReplay;
use tinyagents::{RunContext, ToolCall};

use crate::effects_support::{context, paying};
use crate::lifecycle_support::{Made, run};

pub async fn complete(ledger: &Arc<MemoryLedger>, call: ToolCall) {
    let mut registry = ToolRegistry::new();
    registry.register(pay()).unwrap();
    run(&Dispatcher::new(registry), &context(ledger), vec![call]).await;
}

pub fn pay() -> Made {
    Made::echo("pay").policy(paying(ToolReplay::Never))
}

pub fn turn(calls: Vec<ToolCall>) -> Vec<Message> {
    vec![Message::user("go"), Message::assistant_calls("", calls)]
}

pub fn rows(messages: &[Message]) -> Vec<(&str, &str)> {
    let rows = messages.iter().filter_map(Message::as_tool);
    rows.map(|row| (row.call_id.as_str(), row.content.as_str()))
        .collect()
}

pub async fn reconcile(harness: &AgentHarness<()>, ctx: &RunContext, messages: &mut Vec<Message>) {
    harness
        .reconcile_tool_effects(ctx, "r1", messages)
        .await
        .unwrap();
}
