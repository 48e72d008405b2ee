//! What a run tells of itself.

#![allow(missing_docs, clippy::unwrap_used)]

mod lifecycle_support;

use std::time::Duration;

use lifecycle_support::{Made, harness};
use serde_json::json;
use tinyagents::middleware::Middleware;
use tinyagents::model::{ModelRequest, ScriptedModel, ToolSchema};
use tinyagents::runtime::{AgentHarness, Dispatcher, RunLimits};
use tinyagents::tinytools::{ToolExposure, ToolResult, async_trait};
use tinyagents::{AgentEvent, EventLog, RunContext, TinyAgentsError};

/// Takes one tool out of every request.
struct Hides(&'static str);

#[async_trait]
impl Middleware for Hides {
    async fn before_model(
        &self,
        _: &mut RunContext,
        request: &mut ModelRequest,
    ) -> Result<(), TinyAgentsError> {
        let left = request.tools.iter().filter(|tool| tool.name != self.0);
        request.tools = left.cloned().collect();
        Ok(())
    }
}

#[tokio::test]
async fn each_turn_says_what_it_advertises() {
    let model = || ScriptedModel::new().call("echo", json!({})).text("done");
    let advertised = async |harness: &AgentHarness<()>| -> Vec<(usize, usize, usize)> {
        let log = EventLog::new();
        let ctx = RunContext::new().with_events(log.clone());
        harness.invoke_in_context(&(), ctx, vec![]).await.unwrap();
        let events = log.events().into_iter();
        let facts = events.filter_map(|event| match event {
            AgentEvent::ToolsAdvertised {
                direct,
                deferred,
                schema_bytes,
            } => Some((direct, deferred, schema_bytes)),
            _ => None,
        });
        facts.collect()
    };
    let mut later = Made::echo("later");
    later.exposure = ToolExposure::Deferred;
    let tools = || [Made::echo("echo"), Made::echo("other"), later.clone()];
    let bytes = |name: &str| {
        let schema = ToolSchema::new(name, "A tool of the tests.", json!({ "type": "object" }));
        serde_json::to_string(&schema).unwrap().len()
    };
    let whole = harness(model(), tools());
    // The two tools to search with are sent as well, and not counted as direct ones.
    let search = |harness: &AgentHarness<()>| {
        let turn = Dispatcher::new(harness.registry().clone());
        async move {
            let turn = turn.turn(&RunContext::new()).await.unwrap();
            let sent = turn
                .schemas()
                .iter()
                .filter(|schema| schema.name.starts_with("tool_"));
            sent.map(|schema| serde_json::to_string(schema).unwrap().len())
                .sum::<usize>()
        }
    };
    let both = bytes("echo") + bytes("other") + search(&whole).await;
    assert_eq!(advertised(&whole).await, [(2, 1, both); 2]);

    let mut narrowed = harness(model(), tools());
    narrowed.with_middleware(Hides("other"));
    assert_eq!(
        advertised(&narrowed).await,
        [(1, 1, both - bytes("other")); 2]
    );
}

#[tokio::test(start_paused = true)]
async fn a_run_that_is_steered_to_its_end_says_by_what() {
    let script = || ScriptedModel::new().call("slow", json!({})).text("done");
    let slow = || {
        Made::new("slow", |_| async {
            tokio::time::sleep(Duration::from_secs(2)).await;
            Ok(ToolResult::success(""))
        })
    };
    let limits = RunLimits {
        max_model_calls: 1,
        ..RunLimits::default()
    };
    let cancelled = RunContext::new();
    cancelled.cancel();
    for (ctx, expected) in [
        (RunContext::new(), None),
        (cancelled, Some(("cancelled", None))),
        (
            RunContext::new().with_timeout(Duration::from_secs(1)),
            Some(("deadline", None)),
        ),
        (
            RunContext::new().with_limits(limits),
            Some(("limit", Some("max_model_calls: 1"))),
        ),
    ] {
        let log = EventLog::new();
        let ctx = ctx.with_events(log.clone());
        let harness = harness(script(), [slow()]);
        harness.invoke_in_context(&(), ctx, vec![]).await.unwrap();
        let events = log.events();
        let controls: Vec<(&str, Option<&str>)> = events
            .iter()
            .filter_map(|event| match event {
                AgentEvent::ControlApplied { control, detail } => {
                    Some((control.as_str(), detail.as_deref()))
                }
                _ => None,
            })
            .collect();
        assert_eq!(controls, Vec::from_iter(expected));
    }
}
