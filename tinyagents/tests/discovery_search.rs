//! Searching for tools, calling what was found, and what never may be.

#![allow(missing_docs, clippy::unwrap_used, clippy::needless_pass_by_value)]

mod toolset_support;

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tinyagents::middleware::{Middleware, ToolDecision};
use tinyagents::toolset::ToolSetExt;
use tinyagents::{
    AgentEvent, AgentHarness, Dispatcher, EventLog, Message, PausedRun, RunContext, RunPolicy,
    ScriptedModel, TinyAgentsError, ToolCall, ToolDiscoveryPolicy, ToolExposure, ToolRanker,
    ToolSchema, async_trait,
};
use toolset_support::{Echo, one, registry};

fn tools() -> Vec<Echo> {
    let mut hidden = Echo::new("secret_wipe");
    hidden.exposure = ToolExposure::Hidden;
    let mut tagged = Echo::deferred("convert", "Change a value. Into another.");
    tagged.tags = vec!["currency".into()];
    vec![
        Echo::new("read"),
        Echo::deferred("create_issue", "Open an issue. In a repository.").schema(json!({
            "type": "object",
            "properties": { "title": { "type": "string" } },
            "required": ["title"],
        })),
        Echo::deferred("list_pull_requests", "List pull requests."),
        tagged,
        hidden,
    ]
}

fn dispatcher() -> Dispatcher {
    Dispatcher::new(registry(tools()))
}

fn search(query: &str) -> ToolCall {
    ToolCall::new("s1", "tool_search", json!({ "query": query }))
}

fn bridged(name: &str, arguments: Value) -> ToolCall {
    ToolCall::new(
        "b1",
        "tool_call",
        json!({ "name": name, "arguments": arguments }),
    )
}

fn shown(schemas: &[ToolSchema]) -> Vec<&str> {
    schemas.iter().map(|schema| schema.name.as_str()).collect()
}

fn found(text: &str) -> Vec<String> {
    let answer: Value = serde_json::from_str(text).unwrap();
    let tools = answer["tools"].as_array().unwrap().iter();
    tools
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .collect()
}

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

#[derive(Clone, Default)]
struct Watch {
    seen: Arc<Mutex<Vec<ToolCall>>>,
    refuses: Option<&'static str>,
}

#[async_trait]
impl Middleware for Watch {
    async fn before_tool(
        &self,
        _: &mut RunContext,
        call: &mut ToolCall,
    ) -> Result<ToolDecision, TinyAgentsError> {
        self.seen.lock().unwrap().push(call.clone());
        Ok(match self.refuses {
            Some(name) if name == call.name => ToolDecision::Reject("not here".to_owned()),
            _ => ToolDecision::Proceed,
        })
    }
}

#[tokio::test]
async fn a_bridged_call_is_unwrapped_before_anything_looks_at_it() {
    let watch = Watch::default();
    let dispatcher = dispatcher().with_middleware(watch.clone());
    let log = EventLog::new();
    let ctx = RunContext::new().with_events(log.clone());
    let call = bridged("create_issue", json!({ "title": "x" }));
    let batch = dispatcher.dispatch(&(), &ctx, vec![call]).await.unwrap();
    assert_eq!(batch.messages[0].content, "create_issue {\"title\":\"x\"}");
    assert_eq!(
        batch.messages[0].tool_name, "tool_call",
        "the name that the model used"
    );
    assert_eq!(batch.executed_tools[0].as_ref(), "create_issue");
    let seen = watch.seen.lock().unwrap().clone();
    assert_eq!(
        seen,
        [ToolCall::new("b1", "create_issue", json!({ "title": "x" }))]
    );
    let told = serde_json::to_string(&log.events().iter().collect::<Vec<_>>()).unwrap();
    assert!(told.contains(r#""type":"tool.bridged","call_id":"b1","tool_name":"create_issue""#));
    assert!(!told.contains("tool_call"), "{told}");
}

#[tokio::test]
async fn a_refusal_holds_behind_the_bridge() {
    let watch = Watch {
        refuses: Some("create_issue"),
        ..Watch::default()
    };
    let dispatcher = dispatcher().with_middleware(watch);
    let call = bridged("create_issue", json!({ "title": "x" }));
    let (text, is_error) = one(&dispatcher, &RunContext::new(), call).await;
    assert!(
        is_error && text.contains("`create_issue` is not allowed"),
        "{text}"
    );
}

#[tokio::test]
async fn what_a_model_may_not_know_is_unknown_behind_the_bridge_too() {
    let dispatcher = dispatcher();
    for name in ["secret_wipe", "tool_call", "missing", ""] {
        let call = bridged(name, json!({ "name": "secret_wipe", "arguments": {} }));
        let (text, is_error) = one(&dispatcher, &RunContext::new(), call).await;
        assert!(
            is_error && text.contains(&format!("unknown tool `{name}`")),
            "{text}"
        );
        assert!(!text.contains("available tools: secret"), "{text}");
    }
    // And a deferred one can't be called as if it had been found.
    let direct = ToolCall::new("c1", "list_pull_requests", json!({}));
    assert!(one(&dispatcher, &RunContext::new(), direct).await.1);
}

#[tokio::test]
async fn arguments_behind_the_bridge_are_read_and_checked_as_any() {
    let dispatcher = dispatcher();
    let ctx = RunContext::new();
    for (arguments, expected) in [
        (
            json!({ "name": "create_issue", "arguments": r#"{"title":"x"}"# }),
            "{\"title\":\"x\"}",
        ),
        (
            json!({ "name": "create_issue", "arguments": "{title:\"x\"}" }),
            "{\"title\":\"x\"}",
        ),
        (json!({ "name": "convert" }), "convert {}"),
        (
            json!({ "name": "convert", "arguments": null }),
            "convert {}",
        ),
        (json!(r#"{"name":"convert"}"#), "convert {}"),
    ] {
        let call = ToolCall::new("b1", "tool_call", arguments.clone());
        let (text, is_error) = one(&dispatcher, &ctx, call).await;
        assert!(!is_error && text.contains(expected), "{arguments}: {text}");
    }
    let raw = ToolCall::from_text("b1", "tool_call", "{name:\"convert\",arguments:{a:1}}");
    assert_eq!(one(&dispatcher, &ctx, raw).await.0, "convert {\"a\":1}");
    for (arguments, complaint) in [
        (
            json!({ "name": "create_issue" }),
            "invalid arguments for `create_issue`",
        ),
        (
            json!({ "name": "create_issue", "arguments": "{\"title\":" }),
            "not valid JSON",
        ),
        (
            json!({ "arguments": {} }),
            "invalid arguments for `tool_call`",
        ),
        (json!({ "name": 5 }), "invalid arguments for `tool_call`"),
        (json!([1]), "invalid arguments for `tool_call`"),
    ] {
        let call = ToolCall::new("b1", "tool_call", arguments.clone());
        let (text, is_error) = one(&dispatcher, &ctx, call).await;
        assert!(is_error && text.contains(complaint), "{arguments}: {text}");
    }
}

#[tokio::test]
async fn what_a_tool_wants_unsaid_is_unsaid_behind_the_bridge() {
    let mut login = Echo::deferred("login", "Log in.").schema(json!({
        "type": "object",
        "properties": { "password": { "type": "integer" } },
    }));
    login.policy.access.redact = vec!["password".into()];
    let dispatcher = Dispatcher::new(registry([login]));
    let log = EventLog::new();
    let ctx = RunContext::new().with_events(log.clone());
    let calls = [
        bridged("login", json!({ "password": "hunter2" })),
        ToolCall::from_text(
            "b1",
            "tool_call",
            r#"{name:"login",arguments:{password:"hunter2"}}"#,
        ),
        ToolCall::from_text(
            "b1",
            "tool_call",
            r#"{"name":"login","arguments":{"password":"hunter2"#,
        ),
        ToolCall::new(
            "b1",
            "tool_call",
            json!({ "name": 1, "arguments": { "password": "hunter2" } }),
        ),
    ];
    for call in calls {
        let (text, is_error) = one(&dispatcher, &ctx, call).await;
        assert!(is_error && !text.contains("hunter2"), "{text}");
    }
    let told = serde_json::to_string(&log.events().iter().collect::<Vec<_>>()).unwrap();
    assert!(!told.contains("hunter2"), "{told}");
}

#[tokio::test]
async fn a_timeline_keeps_out_what_is_unsaid_behind_the_bridge() {
    let mut login = Echo::deferred("login", "Log in.");
    login.policy.access.redact = vec!["password".into()];
    let mut harness: AgentHarness<()> = AgentHarness::new();
    let raw = r#"{name:"x_login",arguments:{password:"hunter2",user:"ada"}}"#;
    let args = json!({ "password": "hunter2", "user": "ada" });
    harness.with_model(
        ScriptedModel::new()
            .call("tool_call", json!({ "name": "x_login", "arguments": args }))
            .raw_call("tool_call", raw)
            .raw_call(
                "tool_call",
                r#"{"name":"x_login","arguments":{"password":"hunter2"#,
            )
            .text("done"),
    );
    harness.with_toolset(registry([login]).prefixed("x"));
    let run = harness.invoke(&(), vec![]).await.unwrap();
    assert_eq!(run.executed_tools, ["login", "login"]);
    let shown = format!("{}{}", run.timeline(), run.timeline().to_html());
    assert!(
        !shown.contains("hunter2") && shown.contains("ada"),
        "{shown}"
    );
}

#[tokio::test]
async fn a_paused_run_keeps_what_was_found_and_its_bridged_call_is_resumed() {
    let mut pay = Echo::deferred("pay", "Pay somebody.");
    pay.policy.access.approval_required = true;
    let harness = |model: ScriptedModel| {
        let mut harness: AgentHarness<()> = AgentHarness::new();
        harness.with_model(model);
        harness.with_toolset(registry([pay.clone()]).prefixed("x"));
        harness
    };
    let script = ScriptedModel::new()
        .call("tool_search", json!({ "query": "pay" }))
        .calls([
            (
                "tool_call",
                json!({ "name": "x_pay", "arguments": { "n": 1 } }),
            ),
            ("x_pay", json!({ "n": 2 })),
        ]);
    let run = harness(script).invoke(&(), vec![]).await.unwrap();
    assert_eq!(run.promoted_tools, ["x_pay"]);
    let written = serde_json::to_string(&PausedRun::of(&run).unwrap()).unwrap();
    let paused: PausedRun = serde_json::from_str(&written).unwrap();
    assert_eq!(paused.context().promoted_tools(), ["x_pay"]);
    let requests = paused.requests();
    assert!(
        requests
            .approvals
            .iter()
            .all(|pending| pending.name == "pay")
    );
    let results = requests.approve_all();
    let script = harness(ScriptedModel::new().text("done"));
    let resumed = script.resume_deferred(&(), paused.context(), paused.messages, results);
    let resumed = resumed.await.unwrap();
    assert_eq!(resumed.executed_tools, ["pay", "pay"]);
    let rows: Vec<&str> = resumed
        .messages
        .iter()
        .filter_map(Message::as_tool)
        .map(|row| row.tool_name.as_str())
        .collect();
    assert_eq!(rows, ["tool_search", "tool_call", "x_pay"]);
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

/// Ranks by a fixed list, or fails in one way or another.
struct Fixed(Result<Vec<&'static str>, &'static str>);

#[async_trait]
impl ToolRanker for Fixed {
    async fn rank(
        &self,
        query: &str,
        tools: &[ToolSchema],
        _: usize,
        _: &RunContext,
    ) -> Result<Vec<String>, TinyAgentsError> {
        assert!(query != "panic", "no answer");
        assert!(tools.iter().all(|tool| tool.name != "secret_wipe"));
        match &self.0 {
            Ok(names) => Ok(names.iter().map(|name| (*name).to_owned()).collect()),
            Err(text) => Err(TinyAgentsError::Other(anyhow::anyhow!(*text))),
        }
    }
}

fn ranked(ranker: Fixed) -> Dispatcher {
    let discovery = ToolDiscoveryPolicy {
        ranker: Some(Arc::new(ranker)),
        ..ToolDiscoveryPolicy::default()
    };
    dispatcher().with_policy(RunPolicy {
        discovery,
        ..RunPolicy::default()
    })
}

#[tokio::test]
async fn a_ranker_decides_among_what_may_be_found() {
    let order = vec![
        "convert",
        "secret_wipe",
        "read",
        "made_up",
        "convert",
        "create_issue",
    ];
    let dispatcher = ranked(Fixed(Ok(order)));
    let (text, _) = one(&dispatcher, &RunContext::new(), search("anything")).await;
    assert_eq!(found(&text), ["convert", "create_issue"]);
}

#[tokio::test]
async fn a_ranker_that_fails_is_replaced_by_words_and_that_is_said() {
    let dispatcher = ranked(Fixed(Err("no embeddings at 10.0.0.1")));
    for query in ["issue", "panic"] {
        let log = EventLog::new();
        let ctx = RunContext::new().with_events(log.clone());
        let (text, is_error) = one(&dispatcher, &ctx, search(query)).await;
        assert!(!is_error, "{text}");
        if query == "issue" {
            assert_eq!(found(&text), ["create_issue"]);
            assert!(
                text.contains("ranking failed") && !text.contains("10.0.0.1"),
                "{text}"
            );
        }
        assert!(log.events().iter().any(|event| matches!(
            event,
            AgentEvent::ToolSearched {
                ranker_error: Some(_),
                ..
            }
        )));
    }
}
