//! What is told of the changes that toolsets make.

#![allow(missing_docs, clippy::unwrap_used)]

mod toolset_support;

use std::collections::BTreeMap;

use tinyagents::middleware::ToolAllowlistMiddleware;
use tinyagents::toolset::ToolSetExt;
use tinyagents::{
    AgentDefinition, AgentEvent, AgentHarness, Dispatcher, EventLog, Message, RunContext,
    ScriptedModel, ToolExposure, ToolExposureExplanation,
};
use toolset_support::{Echo, call, dispatcher, registry, set};

#[tokio::test]
async fn what_a_set_did_is_told_once_and_again_when_it_changes() {
    let set = set(&["a", "b", "c"])
        .filtered(|tool, ctx| tool.name() != "a" || ctx.promoted_tools().is_empty())
        .filtered(|tool, _| tool.name() != "b")
        .prefixed("x")
        .requiring_approval(|tool| tool.name() == "x_c");
    let log = EventLog::new();
    let ctx = RunContext::new().with_events(log.clone());
    let dispatcher = dispatcher(set);
    dispatcher.turn(&ctx).await.unwrap();
    dispatcher.turn(&ctx).await.unwrap();
    let told = || -> Vec<_> {
        let events = log.events().into_iter();
        let told = events.filter_map(|event| match event {
            AgentEvent::ToolsFiltered {
                tools,
                explanations,
            } => Some((tools, explanations)),
            _ => None,
        });
        told.collect()
    };
    let first = told();
    assert_eq!(first.len(), 1, "{first:?}");
    let (tools, explanations) = &first[0];
    assert_eq!(tools["b"], "filtered out");
    assert_eq!(tools["c"], "prefixed to `x_c`; needs approval");
    let approval = ToolExposureExplanation::ApprovalRequired { tool: "c".into() };
    assert!(explanations.contains(&approval), "{explanations:?}");
    // The context changed, and with it what is shown.
    let ctx = ctx.with_promoted_tools(["anything"]);
    assert_eq!(dispatcher.turn(&ctx).await.unwrap().schemas().len(), 1);
    assert_eq!(told().len(), 2);
}

/// What is told of the tools of the first turn.
async fn told_of(dispatcher: &Dispatcher) -> (BTreeMap<String, String>, Vec<String>) {
    let log = EventLog::new();
    let ctx = RunContext::new().with_events(log.clone());
    dispatcher.turn(&ctx).await.unwrap();
    dispatcher.turn(&ctx).await.unwrap();
    let mut told = log.events().into_iter().filter_map(|event| match event {
        AgentEvent::ToolsFiltered {
            tools,
            explanations,
        } => Some((tools, explanations)),
        _ => None,
    });
    let (tools, explanations) = told.next().unwrap();
    assert_eq!(told.next(), None, "once");
    let lines = explanations
        .iter()
        .map(|one| format!("{}: {one}", one.tool()));
    (tools, lines.collect())
}

#[tokio::test]
async fn every_change_is_explained_under_the_real_name() {
    let hidden = |name: &str| Echo {
        exposure: ToolExposure::Hidden,
        ..Echo::new(name)
    };
    let own = registry([
        Echo::new("direct"),
        Echo::deferred("own_deferred", "Waits."),
        hidden("own_hidden"),
    ]);
    let tools = ["a", "b", "c", "d", "e"].map(Echo::new);
    let others = [Echo::deferred("deferred", "Waits."), hidden("hidden")];
    let changed = registry(tools.into_iter().chain(others))
        .filtered(|tool, _| tool.name() != "a")
        .renamed([("b", "bee")])
        .prepared(|mut tools, _| {
            for tool in tools.iter_mut().filter(|tool| tool.name == "c") {
                tool.description = "Other.".to_owned();
            }
            tools
        })
        .requiring_approval(|tool| tool.name() == "d");
    let plain = set(&["p"]).prefixed("x");
    let dispatcher = Dispatcher::new(own)
        .with_toolset(changed)
        .with_toolset(plain);
    let (tools, lines) = told_of(&dispatcher).await;
    let expected = [
        ("a", "filtered out"),
        ("b", "renamed from `b` to `bee`"),
        ("c", "declared otherwise"),
        ("d", "needs approval"),
        ("p", "prefixed to `x_p`"),
        ("deferred", "found by searching only"),
        ("hidden", "for the host alone"),
        ("own_deferred", "found by searching only"),
        ("own_hidden", "for the host alone"),
    ];
    assert_eq!(
        lines,
        expected.map(|(tool, change)| format!("{tool}: {change}"))
    );
    let expected = expected.map(|(tool, change)| (tool.to_owned(), change.to_owned()));
    assert_eq!(tools, BTreeMap::from(expected));
}

#[tokio::test]
async fn a_registry_alone_tells_of_what_no_first_request_shows() {
    let tools = [Echo::new("direct"), Echo::deferred("waits", "Waits.")];
    let (tools, lines) = told_of(&Dispatcher::new(registry(tools))).await;
    assert_eq!(lines, ["waits: found by searching only"]);
    assert_eq!(tools.len(), 1);
}

#[tokio::test]
async fn whoever_hides_a_renamed_tool_tells_its_real_name() {
    let told = |log: &EventLog| -> Vec<String> {
        let events = log.events().into_iter();
        let told = events.filter_map(|event| match event {
            // What hides tells of no change.
            AgentEvent::ToolsFiltered {
                tools,
                explanations,
            } if explanations.is_empty() => Some(tools.into_keys()),
            _ => None,
        });
        told.flatten().collect()
    };
    let listed = || AgentDefinition::new("agent").with_tools(["read"]);
    for is_listed in [true, false] {
        let log = EventLog::new();
        let mut ctx = RunContext::new().with_events(log.clone());
        let model = ScriptedModel::new().text("done");
        let mut harness: AgentHarness<()> = AgentHarness::new();
        harness.with_model(model.clone());
        harness.with_toolset(set(&["read", "pay"]).renamed([("pay", "give")]));
        if is_listed {
            ctx = ctx.with_definition(listed());
        } else {
            harness.with_middleware(ToolAllowlistMiddleware::new(["read"]));
        }
        let messages = vec![Message::user("go")];
        harness.invoke_in_context(&(), ctx, messages).await.unwrap();
        assert_eq!(model.requests()[0].tools.len(), 1);
        assert_eq!(told(&log), ["pay"]);
    }
}

#[tokio::test]
async fn a_turn_of_a_hosts_own_loop_is_told_once() {
    let log = EventLog::new();
    let ctx = RunContext::new().with_events(log.clone());
    let dispatcher = Dispatcher::new(registry([Echo::new("a"), Echo::deferred("b", "Waits.")]));
    let turn = dispatcher.turn(&ctx).await.unwrap();
    turn.dispatch(&(), &ctx, vec![call("a")]).await.unwrap();
    let bytes: usize = turn
        .schemas()
        .iter()
        .map(|schema| serde_json::to_string(schema).unwrap().len())
        .sum();
    let told = log.events().into_iter();
    let told: Vec<_> = told
        .filter(|event| matches!(event, AgentEvent::ToolsAdvertised { .. }))
        .collect();
    assert_eq!(
        told,
        [AgentEvent::ToolsAdvertised {
            direct: 1,
            deferred: 1,
            schema_bytes: bytes,
        }]
    );
}
