//! Searching and toolsets beside lists and policies: only what is allowed is found, shown and run, by its real name.

#![allow(missing_docs, clippy::unwrap_used)]

mod toolset_support;

use serde_json::json;
use tinyagents::middleware::{
    ContextualToolSelectionMiddleware, DynamicToolSelectionMiddleware, ToolAllowlistMiddleware,
    ToolPolicyMiddleware,
};
use tinyagents::toolset::{CombinedToolSet, ToolSetExt};
use tinyagents::{
    AgentDefinition, AgentHarness, Dispatcher, Message, RunContext, ScriptedModel, ToolCall,
    ToolPolicy, ToolRegistry, ToolSchema, ToolSideEffects,
};
use toolset_support::{Echo, one, registry, set};

fn deferred() -> ToolRegistry {
    registry([
        Echo::new("read"),
        Echo::deferred("create_issue", "Open an issue."),
        Echo::deferred("wipe_issue", "Wipe an issue."),
    ])
}

fn search() -> ToolCall {
    ToolCall::new("s", "tool_search", json!({ "query": "issue" }))
}

fn bridged(name: &str) -> ToolCall {
    ToolCall::new("b", "tool_call", json!({ "name": name, "arguments": {} }))
}

fn defined(tools: &[&str]) -> RunContext {
    let definition = AgentDefinition::new("agent").with_tools(tools.iter().copied());
    RunContext::new().with_definition(definition)
}

#[tokio::test]
async fn a_definition_bounds_what_is_found_and_called() {
    let dispatcher = Dispatcher::new(deferred());
    let ctx = defined(&["create_issue"]);
    let turn = dispatcher.turn(&ctx).await.unwrap();
    let shown = serde_json::to_string(turn.schemas()).unwrap();
    assert!(shown.contains("create_issue") && !shown.contains("wipe") && !shown.contains("read"));
    let (text, _) = one(&dispatcher, &ctx, search()).await;
    assert!(
        text.contains("create_issue") && !text.contains("wipe"),
        "{text}"
    );
    assert_eq!(
        one(&dispatcher, &ctx, bridged("create_issue")).await.0,
        "create_issue {}"
    );
    assert!(one(&dispatcher, &ctx, bridged("wipe_issue")).await.1);
    // Nothing to find, nothing to search with.
    let turn = dispatcher.turn(&defined(&["read"])).await.unwrap();
    assert_eq!(turn.schemas().len(), 1);
}

#[tokio::test]
async fn a_definition_lists_real_names() {
    let renamed = set(&["delete_all", "read"]).renamed([("delete_all", "search")]);
    let dispatcher = Dispatcher::new(ToolRegistry::new()).with_toolset(renamed);
    let call = || ToolCall::new("c", "search", json!({}));
    assert!(
        one(&dispatcher, &defined(&["search", "read"]), call())
            .await
            .1
    );
    let allowed = defined(&["delete_all"]);
    assert_eq!(one(&dispatcher, &allowed, call()).await.0, "delete_all {}");
    let turn = dispatcher.turn(&allowed).await.unwrap();
    assert_eq!(turn.schemas()[0].name, "search");
}

#[tokio::test]
async fn a_middleware_that_hides_a_tool_hides_it_from_searches_too() {
    let allowed = ["read", "create_issue"];
    let mut harness: AgentHarness<()> = AgentHarness::new();
    harness.with_model(
        ScriptedModel::new()
            .call("tool_search", json!({ "query": "issue" }))
            .call("tool_call", json!({ "name": "wipe_issue" }))
            .call("create_issue", json!({}))
            .text("done"),
    );
    harness.with_toolset(deferred());
    harness.with_middleware(ToolAllowlistMiddleware::new(allowed));
    let run = harness
        .invoke(&(), vec![Message::user("go")])
        .await
        .unwrap();
    let rows: Vec<_> = run.messages.iter().filter_map(Message::as_tool).collect();
    assert!(!rows[0].content.contains("wipe"), "{}", rows[0].content);
    assert!(rows[1].is_error);
    assert_eq!(rows[2].content, "create_issue {}");
    assert_eq!(run.promoted_tools, ["create_issue"]);
}

#[tokio::test]
async fn a_list_of_any_middleware_holds_for_what_is_found_and_not_for_the_bridge() {
    let listed = |tools: [&'static str; 1]| {
        let none: [&str; 0] = [];
        let dispatcher = || Dispatcher::new(deferred());
        let contextual = ContextualToolSelectionMiddleware::from_lists(Some(tools), none);
        [
            dispatcher().with_middleware(ToolAllowlistMiddleware::new(tools)),
            dispatcher().with_middleware(DynamicToolSelectionMiddleware::allowing(tools)),
            dispatcher().with_middleware(contextual),
        ]
    };
    let names = |schemas: &[ToolSchema]| -> Vec<String> {
        schemas.iter().map(|schema| schema.name.clone()).collect()
    };
    for dispatcher in listed(["create_issue"]) {
        let ctx = RunContext::new();
        let turn = dispatcher.turn(&ctx).await.unwrap();
        assert_eq!(names(turn.schemas()), ["tool_search", "tool_call"]);
        let (text, is_error) = one(&dispatcher, &ctx, search()).await;
        assert!(
            !is_error && text.contains("create_issue") && !text.contains("wipe"),
            "{text}"
        );
        assert!(!one(&dispatcher, &ctx, bridged("create_issue")).await.1);
        for other in ["wipe_issue", "read", "tool_search", "tool_call"] {
            assert!(one(&dispatcher, &ctx, bridged(other)).await.1, "{other}");
        }
    }
    // Nothing to find, nothing to search with.
    for dispatcher in listed(["read"]) {
        let ctx = RunContext::new();
        let turn = dispatcher.turn(&ctx).await.unwrap();
        assert_eq!(names(turn.schemas()), ["read"]);
        assert!(one(&dispatcher, &ctx, search()).await.1);
    }
}

#[tokio::test]
async fn what_was_found_is_shown_again_only_while_it_is_allowed() {
    let dispatcher = Dispatcher::new(deferred());
    let found = RunContext::new().with_promoted_tools(["wipe_issue", "create_issue"]);
    assert_eq!(dispatcher.turn(&found).await.unwrap().schemas().len(), 5);
    let narrowed = defined(&["read", "create_issue"]);
    let narrowed = narrowed.with_promoted_tools(["wipe_issue", "create_issue"]);
    let turn = dispatcher.turn(&narrowed).await.unwrap();
    let names: Vec<&str> = turn
        .schemas()
        .iter()
        .map(|schema| schema.name.as_str())
        .collect();
    assert_eq!(names, ["read", "tool_search", "tool_call", "create_issue"]);
}

#[tokio::test]
async fn a_policy_is_that_of_the_very_tool_even_where_two_have_one_name() {
    let mut wipes = Echo::new("go");
    wipes.policy = ToolPolicy::classified().with_side_effects(ToolSideEffects {
        destructive: true,
        ..ToolSideEffects::default()
    });
    let twins = CombinedToolSet::new(vec![
        registry([wipes]).prefixed("a"),
        set(&["go"]).prefixed("b"),
    ]);
    let denied = ToolSideEffects {
        destructive: true,
        ..ToolSideEffects::default()
    };
    let middleware = ToolPolicyMiddleware::new(ToolRegistry::new().policies());
    let dispatcher = Dispatcher::new(ToolRegistry::new())
        .with_toolset(twins)
        .with_middleware(middleware.deny_side_effects(denied));
    let ctx = RunContext::new();
    assert!(
        one(&dispatcher, &ctx, ToolCall::new("c", "a_go", json!({})))
            .await
            .1
    );
    assert_eq!(
        one(&dispatcher, &ctx, ToolCall::new("c", "b_go", json!({})))
            .await
            .0,
        "go {}"
    );
}
