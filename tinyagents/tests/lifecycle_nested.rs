//! A tool that has calls of its own dispatched, in the context of its call.

#![allow(missing_docs, clippy::unwrap_used)]

mod lifecycle_support;

use lifecycle_support::{Made, dispatcher};
use serde_json::json;
use tinyagents::runtime::{Dispatcher, ToolRegistry};
use tinyagents::tinytools::ToolPolicy;
use tinyagents::{AgentEvent, EventLog, RunContext, ToolCall, tool};

/// Has other tools called, then says something.
#[tool(read_only)]
async fn outer(
    names: Vec<String>,
    #[hidden] ctx: &RunContext,
    #[hidden] within: &Dispatcher,
) -> usize {
    let calls = names.iter().map(|name| ToolCall::new("", name, json!({})));
    let batch = within.dispatch(&(), ctx, calls.collect()).await.unwrap();
    ctx.custom(json!("said"));
    batch.messages.len()
}

#[tokio::test]
async fn the_end_of_a_call_within_a_call_is_not_that_ones() {
    let mut careful = ToolPolicy::read_only();
    careful.access.approval_required = true;
    let within = dispatcher([
        Made::echo("runs"),
        Made::echo("waits_for_approval").policy(careful),
    ]);
    let mut registry = ToolRegistry::new();
    registry.register(OuterTool).unwrap();
    let around = Dispatcher::new(registry);
    for names in [
        &["runs"][..],
        &["waits_for_approval"],
        &["unknown"],
        &["runs", "waits_for_approval", "unknown"],
    ] {
        let log = EventLog::new();
        let ctx = RunContext::new()
            .with_events(log.clone())
            .provide(within.clone());
        let call = ToolCall::new("c1", "outer", json!({ "names": names }));
        around.dispatch(&(), &ctx, vec![call]).await.unwrap();
        let events = log.events();
        let [.., said, last] = events.as_slice() else {
            panic!("{events:?}");
        };
        assert!(
            matches!(said, AgentEvent::Custom { call_id: Some(id), .. } if id == "c1"),
            "{names:?}"
        );
        assert!(matches!(last, AgentEvent::ToolCompleted { call_id, .. } if call_id == "c1"));
    }
}
