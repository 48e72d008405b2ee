//! Searching for tools, and what becomes of those that were found.

#![allow(missing_docs, clippy::unwrap_used, clippy::needless_pass_by_value)]

mod discovery_support;
mod toolset_support;

use discovery_support::{bridged, dispatcher, found, search, shown, tools};
use serde_json::{Value, json};
use tinyagents::toolset::ToolSetExt;
use tinyagents::{
    AgentEvent, AgentHarness, Dispatcher, EventLog, Message, RunContext, RunPolicy, ScriptedModel,
    ToolCall, ToolDiscoveryPolicy, ToolExposure,
};
use toolset_support::{Echo, one, registry};

#[tokio::test]
async fn the_first_request_has_the_direct_tools_and_two_to_search_with() {
    let turn = dispatcher().turn(&RunContext::new()).await.unwrap();
    assert_eq!(shown(turn.schemas()), ["read", "tool_search", "tool_call"]);
    let manifest = &turn.schemas()[1].description;
    assert!(
        manifest.contains("\ncreate_issue: Open an issue.\n"),
        "{manifest}"
    );
    assert!(
        !manifest.contains("secret") && !manifest.contains("In a repository"),
        "{manifest}"
    );
    // Without deferred tools there is nothing to search with.
    let alone = Dispatcher::new(registry([Echo::new("read")]));
    assert_eq!(
        shown(alone.turn(&RunContext::new()).await.unwrap().schemas()),
        ["read"]
    );
}

#[tokio::test]
async fn a_search_shows_whole_schemas_by_name_description_property_and_tag() {
    let dispatcher = dispatcher();
    let log = EventLog::new();
    let ctx = RunContext::new().with_events(log.clone());
    for (query, first) in [
        ("createIssue", "create_issue"),
        ("issues", "create_issue"),
        ("pull request", "list_pull_requests"),
        ("title", "create_issue"),
        ("currencies currency", "convert"),
        ("convert", "convert"),
    ] {
        let (text, is_error) = one(&dispatcher, &ctx, search(query)).await;
        assert!(!is_error);
        assert_eq!(found(&text)[0], first, "{query}");
    }
    let (text, _) = one(&dispatcher, &ctx, search("issue")).await;
    let answer: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        answer["tools"][0]["parameters"]["required"],
        json!(["title"])
    );
    assert!(log.events().iter().any(|event| matches!(
        event,
        AgentEvent::ToolSearched { query, found, ranker_error: None }
            if query == "issue" && found == &["create_issue"]
    )));
}

#[tokio::test]
async fn a_search_without_a_match_says_so_and_never_finds_what_is_hidden() {
    let dispatcher = dispatcher();
    for query in ["submarine", "secret_wipe", "secret", "", "read"] {
        let (text, is_error) = one(&dispatcher, &RunContext::new(), search(query)).await;
        assert!(
            !is_error && text.contains("no match") && found(&text).is_empty(),
            "{text}"
        );
    }
}

#[tokio::test]
async fn a_limit_is_kept_within_its_bounds() {
    let many = (0..60).map(|number| Echo::deferred(format!("find_{number}"), "Find."));
    let dispatcher = Dispatcher::new(registry(many));
    for (limit, count) in [
        (None, 5),
        (Some(7), 7),
        (Some(100), 20),
        (Some(0), 1),
        (Some(-3), 1),
    ] {
        let mut call = search("find");
        if let Some(limit) = limit {
            call.arguments["limit"] = json!(limit);
        }
        let (text, _) = one(&dispatcher, &RunContext::new(), call).await;
        assert_eq!(found(&text).len(), count, "{limit:?}");
    }
}

#[tokio::test]
async fn what_was_found_follows_what_was_there() {
    let dispatcher = dispatcher();
    let ctx = RunContext::new();
    let first = dispatcher.turn(&ctx).await.unwrap();
    one(&dispatcher, &ctx, search("pull")).await;
    one(&dispatcher, &ctx, search("issue")).await;
    one(&dispatcher, &ctx, search("pull")).await;
    let later = dispatcher.turn(&ctx).await.unwrap();
    let names = [
        "read",
        "tool_search",
        "tool_call",
        "list_pull_requests",
        "create_issue",
    ];
    assert_eq!(shown(later.schemas()), names);
    let was_there = first.schemas().len();
    assert_eq!(
        &later.schemas()[..was_there],
        first.schemas(),
        "the beginning stays as it was"
    );
    // It is called like any other now; in another run it isn't there.
    let call = || ToolCall::new("c1", "create_issue", json!({ "title": "x" }));
    assert!(!one(&dispatcher, &ctx, call()).await.1);
    assert!(one(&dispatcher, &RunContext::new(), call()).await.1);
    assert_eq!(ctx.promoted_tools(), ["list_pull_requests", "create_issue"]);
}

#[tokio::test]
async fn promotion_survives_a_resume_by_the_transcript_for_what_is_still_there() {
    let harness = |tools: Vec<Echo>, model: ScriptedModel| {
        let mut harness: AgentHarness<()> = AgentHarness::new();
        harness.with_model(model);
        for tool in tools {
            harness.register_tool(tool).unwrap();
        }
        harness
    };
    let script = ScriptedModel::new()
        .call("tool_search", json!({ "query": "issue pull" }))
        .text("found");
    let first = harness(tools(), script)
        .invoke(&(), vec![Message::user("go")])
        .await
        .unwrap();
    let written = serde_json::to_string(&first.messages).unwrap();

    let messages: Vec<Message> = serde_json::from_str(&written).unwrap();
    let script = ScriptedModel::new()
        .calls([
            ("create_issue", json!({ "title": "x" })),
            ("list_pull_requests", json!({})),
        ])
        .text("done");
    // Meanwhile one of the two is host-only.
    let mut later = tools();
    later[2].exposure = ToolExposure::Hidden;
    let run = harness(later, script).invoke(&(), messages).await.unwrap();
    let rows: Vec<_> = run
        .messages
        .iter()
        .filter_map(Message::as_tool)
        .skip(1)
        .collect();
    assert!(!rows[0].is_error, "{}", rows[0].content);
    assert!(rows[1].is_error, "{}", rows[1].content);
}

#[tokio::test]
async fn without_discovery_deferred_tools_are_not_there() {
    let policy = RunPolicy {
        discovery: ToolDiscoveryPolicy {
            enabled: false,
            ..ToolDiscoveryPolicy::default()
        },
        ..RunPolicy::default()
    };
    let dispatcher = dispatcher().with_policy(policy);
    let ctx = RunContext::new();
    assert_eq!(
        shown(dispatcher.turn(&ctx).await.unwrap().schemas()),
        ["read"]
    );
    for call in [search("issue"), bridged("convert", json!({}))] {
        let (text, is_error) = one(&dispatcher, &ctx, call).await;
        assert!(is_error && text.contains("unknown tool `tool_"), "{text}");
    }
}

#[tokio::test]
async fn found_tools_of_a_set_keep_their_shown_name_and_their_identity() {
    let set = registry(tools())
        .prefixed("gh")
        .requiring_approval(|tool| tool.name() == "gh_convert");
    let dispatcher = Dispatcher::new(registry([])).with_toolset(set);
    let ctx = RunContext::new();
    let (text, _) = one(&dispatcher, &ctx, search("issue")).await;
    assert_eq!(found(&text), ["gh_create_issue"]);
    let call = bridged("gh_create_issue", json!({ "title": "x" }));
    assert_eq!(
        one(&dispatcher, &ctx, call).await.0,
        "create_issue {\"title\":\"x\"}"
    );
    let call = bridged("create_issue", json!({ "title": "x" }));
    assert!(one(&dispatcher, &ctx, call).await.1);
    let pays = vec![bridged("gh_convert", json!({}))];
    let batch = dispatcher.dispatch(&(), &ctx, pays).await.unwrap();
    assert_eq!(batch.deferred.unwrap().approvals[0].name, "convert");
}
