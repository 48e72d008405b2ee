//! What a host does in answer to what it is told of a call, before the call runs.

#![allow(missing_docs, clippy::unwrap_used)]

use serde_json::{Value, json};
use tinyagents::runtime::{Dispatcher, StopReason, ToolRegistry};
use tinyagents::tinytools::{Tool, ToolPolicy, ToolResult, async_trait};
use tinyagents::{AgentEvent, EventSink, RunContext, RunId, ToolCall, tool};

/// Pays somebody.
#[tool(payment)]
fn pay(#[hidden] account: &String) -> String {
    format!("paid from {account}")
}

/// Cancels a run in which somebody forges a hidden value.
struct Guard(RunContext);

impl EventSink for Guard {
    fn emit(&self, _: &RunId, event: AgentEvent) {
        if matches!(event, AgentEvent::ForgedHiddenArgument { .. }) {
            self.0.cancel();
        }
    }
}

#[tokio::test]
async fn a_host_that_cancels_the_run_for_a_forged_value_keeps_the_call_from_running() {
    let mut registry = ToolRegistry::new();
    registry.register(PayTool).unwrap();
    let dispatcher = Dispatcher::new(registry);
    let forged = |id: &str| ToolCall::new(id, "pay", json!({ "account": "another's" }));
    for calls in [vec![forged("c1")], vec![forged("c1"), forged("c2")]] {
        let ctx = RunContext::new().provide("the host's".to_owned());
        let ctx = ctx.clone().with_events(Guard(ctx));
        let batch = dispatcher.dispatch(&(), &ctx, calls).await.unwrap();
        for row in &batch.messages {
            assert_eq!(row.content, "not run: the run was cancelled");
        }
        assert!(batch.executed_tools.is_empty());
        assert_eq!(batch.stop, Some(StopReason::Cancelled));
    }
}

/// Ends its run when it is asked whether it may run beside others.
struct Quits(RunContext);

#[async_trait]
impl Tool for Quits {
    fn name(&self) -> &'static str {
        "quits"
    }

    fn description(&self) -> &'static str {
        "Quit."
    }

    fn parameters_schema(&self) -> Value {
        json!({ "type": "object" })
    }

    fn policy(&self) -> ToolPolicy {
        ToolPolicy::read_only()
    }

    fn is_concurrency_safe(&self, _: &Value) -> bool {
        self.0.cancel();
        true
    }

    async fn execute(&self, _: Value) -> anyhow::Result<ToolResult> {
        anyhow::bail!("it ran")
    }
}

#[tokio::test]
async fn a_tool_that_ends_the_run_while_it_is_admitted_does_not_run() {
    let ctx = RunContext::new();
    let mut registry = ToolRegistry::new();
    registry.register(Quits(ctx.clone())).unwrap();
    let call = ToolCall::new("c1", "quits", json!({}));
    let dispatcher = Dispatcher::new(registry);
    let batch = dispatcher.dispatch(&(), &ctx, vec![call]).await.unwrap();
    assert_eq!(batch.messages[0].content, "not run: the run was cancelled");
    assert!(batch.executed_tools.is_empty());
}
