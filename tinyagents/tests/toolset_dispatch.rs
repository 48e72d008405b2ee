//! Toolsets in a dispatcher and a harness: what is run, under which identity, and at what cost.

#![allow(missing_docs, clippy::unwrap_used)]

mod toolset_support;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tinyagents::middleware::{Middleware, ToolAllowlistMiddleware, ToolDecision};
use tinyagents::runtime::Batch;
use tinyagents::toolset::{CombinedToolSet, ExternalToolSet, ToolSet, ToolSetExt};
use tinyagents::{
    AgentDefinition, AgentEvent, AgentHarness, DeferredToolRequests, Dispatcher, EventLog, Message,
    RunContext, RunLimits, RunPolicy, ScriptedModel, TinyAgentsError, Tool, ToolCall, ToolExposure,
    ToolExposureExplanation, ToolPolicy, ToolRegistry, ToolSchema, UnknownToolPolicy, async_trait,
};
use toolset_support::{Echo, one, registry, set};

fn dispatcher(set: impl ToolSet + 'static) -> Dispatcher {
    Dispatcher::new(ToolRegistry::new()).with_toolset(set)
}

fn call(name: &str) -> ToolCall {
    ToolCall::new("c1", name, json!({}))
}

/// Writes down the names it is asked about, and may send calls elsewhere.
#[derive(Clone, Default)]
struct Watch {
    seen: Arc<Mutex<Vec<String>>>,
    sends_to: Option<&'static str>,
}

#[async_trait]
impl Middleware for Watch {
    async fn before_tool(
        &self,
        _: &mut RunContext,
        call: &mut ToolCall,
    ) -> Result<ToolDecision, TinyAgentsError> {
        self.seen.lock().unwrap().push(call.name.clone());
        if let Some(name) = self.sends_to {
            name.clone_into(&mut call.name);
        }
        Ok(ToolDecision::Proceed)
    }
}

#[tokio::test]
async fn a_harness_advertises_and_runs_the_tools_of_a_set_without_a_bridge() {
    let mut harness: AgentHarness<()> = AgentHarness::new();
    harness.with_model(
        ScriptedModel::new()
            .call("gh_search", json!({ "q": 1 }))
            .text("done"),
    );
    harness.register_tool(Echo::new("own")).unwrap();
    harness.with_toolset(set(&["search"]).prefixed("gh"));
    let log = EventLog::new();
    let ctx = RunContext::new().with_events(log.clone());
    let run = harness
        .invoke_in_context(&(), ctx, vec![Message::user("go")])
        .await
        .unwrap();

    let row = run.messages.iter().find_map(Message::as_tool).unwrap();
    // The row has the model's name, all else the tool's own.
    assert_eq!(
        (row.tool_name.as_str(), row.content.as_str()),
        ("gh_search", "search {\"q\":1}")
    );
    assert_eq!(run.executed_tools, ["search"]);
    let told: Vec<String> = log
        .events()
        .iter()
        .filter_map(|event| match event {
            AgentEvent::ToolStarted { tool_name, .. }
            | AgentEvent::ToolCompleted { tool_name, .. } => Some(tool_name.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(told, ["search", "search"]);
}

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

#[tokio::test]
async fn nothing_is_compiled_again_for_a_tool_that_stays() {
    let echo = Echo::new("a").schema(json!({ "type": "object" }));
    let set = registry([echo.clone()])
        .prefixed("x")
        .requiring_approval(|_| false);
    let dispatcher = dispatcher(set);
    let ctx = RunContext::new();
    let first = dispatcher.turn(&ctx).await.unwrap();
    let compiled = echo.compiled();
    let again = dispatcher.turn(&ctx).await.unwrap();
    let other_run = dispatcher.turn(&RunContext::new()).await.unwrap();
    assert_eq!(echo.compiled(), compiled);
    assert_eq!(
        first.schemas().as_ptr(),
        again.schemas().as_ptr(),
        "the same list, not a copy"
    );
    assert_eq!(other_run.schemas(), first.schemas());
}

/// Makes its tools anew each time.
struct Fresh(Arc<AtomicUsize>);

#[async_trait]
impl ToolSet for Fresh {
    async fn tools(&self, _: &RunContext) -> Result<Vec<Arc<dyn Tool>>, TinyAgentsError> {
        let number = self.0.fetch_add(1, Ordering::SeqCst);
        let mut echo = Echo::new("a");
        echo.description = format!("Turn {number}.");
        Ok(vec![Arc::new(echo)])
    }
}

#[tokio::test]
async fn a_turn_is_one_snapshot_and_the_next_one_may_differ() {
    let asked = Arc::new(AtomicUsize::new(0));
    let dispatcher = dispatcher(Fresh(Arc::clone(&asked)));
    let ctx = RunContext::new();
    let turn = dispatcher.turn(&ctx).await.unwrap();
    assert_eq!(turn.schemas()[0].description, "Turn 0.");
    turn.dispatch(
        &(),
        &ctx,
        vec![call("a"), ToolCall::new("c2", "a", json!({}))],
    )
    .await
    .unwrap();
    assert_eq!(
        asked.load(Ordering::SeqCst),
        1,
        "not asked again within a turn"
    );
    assert_eq!(
        dispatcher.turn(&ctx).await.unwrap().schemas()[0].description,
        "Turn 1."
    );
}

/// Counts runs, and has other tools for each.
struct PerRun(Arc<AtomicUsize>);

#[async_trait]
impl ToolSet for PerRun {
    async fn tools(&self, _: &RunContext) -> Result<Vec<Arc<dyn Tool>>, TinyAgentsError> {
        Ok(Vec::new())
    }

    async fn for_run(&self, _: &RunContext) -> Result<Option<Arc<dyn ToolSet>>, TinyAgentsError> {
        let number = self.0.fetch_add(1, Ordering::SeqCst);
        Ok(Some(Arc::new(set(&[&format!("run_{number}")]))))
    }

    fn instructions(&self) -> Option<String> {
        Some("Not for runs.".to_owned())
    }
}

#[tokio::test]
async fn a_run_has_a_set_of_its_own_through_every_adaptor() {
    let runs = Arc::new(AtomicUsize::new(0));
    let inner = PerRun(Arc::clone(&runs))
        .filtered(|_, _| true)
        .renamed([("z", "y")])
        .prepared(|tools, _| tools)
        .requiring_approval(|_| false)
        .prefixed("x");
    let dispatcher = dispatcher(CombinedToolSet::new(vec![inner]));
    let ctx = RunContext::new();
    for _ in 0..2 {
        let turn = dispatcher.turn(&ctx).await.unwrap();
        assert_eq!(turn.schemas()[0].name, "x_run_0");
    }
    let turn = dispatcher.turn(&RunContext::new()).await.unwrap();
    assert_eq!(turn.schemas()[0].name, "x_run_1");
    // A child is a run of its own.
    let turn = dispatcher.turn(&ctx.child()).await.unwrap();
    assert_eq!(turn.schemas()[0].name, "x_run_2");
}

#[tokio::test]
async fn policies_see_the_real_name_and_a_rename_passes_nobodys_list() {
    let watch = Watch::default();
    let both = CombinedToolSet::new(vec![
        set(&["delete_all"]).renamed([("delete_all", "search")]),
        set(&["search"]).prefixed("gh"),
    ]);
    let dispatcher = dispatcher(both).with_middleware(watch.clone());
    let ctx = RunContext::new();
    assert_eq!(
        one(&dispatcher, &ctx, call("search")).await.0,
        "delete_all {}"
    );
    assert_eq!(
        one(&dispatcher, &ctx, call("gh_search")).await.0,
        "search {}"
    );
    assert_eq!(*watch.seen.lock().unwrap(), ["delete_all", "search"]);
    // The real name of a renamed tool is no name for a model.
    let (text, is_error) = one(&dispatcher, &ctx, call("delete_all")).await;
    assert!(
        is_error && text.contains("unknown tool `delete_all`"),
        "{text}"
    );
}

#[tokio::test]
async fn a_middleware_sends_calls_to_identities_and_not_to_names_given_away() {
    let sends = |sends_to| Watch {
        sends_to: Some(sends_to),
        ..Watch::default()
    };
    let renamed = || set(&["delete_all", "read"]).renamed([("delete_all", "search")]);
    let ctx = RunContext::new();
    // `search` is what `delete_all` is shown as; as an identity it is nobody's.
    let by_alias = dispatcher(renamed()).with_middleware(sends("search"));
    let (text, is_error) = one(&by_alias, &ctx, call("read")).await;
    assert!(is_error && text.contains("unknown tool"), "{text}");
    let by_identity = dispatcher(renamed()).with_middleware(sends("delete_all"));
    assert_eq!(
        one(&by_identity, &ctx, call("read")).await.0,
        "delete_all {}"
    );
    // Of two tools with one identity neither is meant.
    let twins = CombinedToolSet::new(vec![
        set(&["go"]).prefixed("a"),
        set(&["go"]).prefixed("b"),
        Arc::new(set(&["read"])),
    ]);
    let ambiguous = dispatcher(twins).with_middleware(sends("go"));
    assert!(one(&ambiguous, &ctx, call("read")).await.1);
    // A call that is left as it is stays the call of its own tool.
    assert_eq!(one(&ambiguous, &ctx, call("b_go")).await.0, "go {}");
}

#[tokio::test]
async fn limits_of_a_tool_count_its_real_name() {
    let policy = RunPolicy {
        limits: RunLimits {
            max_calls_per_tool: Some(1),
            ..RunLimits::default()
        },
        unknown_tool: UnknownToolPolicy::Rewrite {
            tool_name: "search".into(),
        },
        ..RunPolicy::default()
    };
    let dispatcher = dispatcher(set(&["search"]).prefixed("gh")).with_policy(policy);
    let ctx = RunContext::new();
    // A rewrite names an identity, too.
    assert_eq!(one(&dispatcher, &ctx, call("what")).await.0, "search {}");
    let (text, is_error) = one(&dispatcher, &ctx, call("gh_search")).await;
    assert!(is_error && text.starts_with("not run"), "{text}");
}

#[tokio::test]
async fn a_prepared_schema_and_the_tools_own_are_both_enforced() {
    let own = json!({
        "type": "object",
        "properties": { "n": { "type": "integer", "maximum": 9 } },
        "required": ["n"],
    });
    // It tries to ask for less than the tool does, and for more as well.
    let set = registry([Echo::new("go").schema(own)]).prepared(|mut tools, _| {
        tools[0].parameters = json!({ "type": "object", "properties": { "n": { "minimum": 3 } } });
        tools
    });
    let dispatcher = dispatcher(set);
    let ctx = RunContext::new();
    let turn = dispatcher.turn(&ctx).await.unwrap();
    assert_eq!(
        turn.schemas()[0].parameters["properties"]["n"],
        json!({ "minimum": 3 })
    );
    for (args, is_valid) in [
        (json!({ "n": 5 }), true),
        (json!({ "n": 2 }), false),
        (json!({ "n": 12 }), false),
        (json!({ "n": "5" }), false),
        (json!({}), false),
    ] {
        let call = ToolCall::new("c1", "go", args.clone());
        let (text, is_error) = one(&dispatcher, &ctx, call).await;
        assert_eq!(is_error, !is_valid, "{args}: {text}");
    }
}

#[tokio::test]
async fn approvals_and_outside_calls_leave_the_loop_under_their_real_name() {
    let outside = ExternalToolSet::new([ToolSchema::new("ask", "Ask.", json!({}))]);
    let both = CombinedToolSet::new(vec![
        set(&["pay"]).requiring_approval(|_| true),
        outside.prefixed("user"),
    ]);
    let dispatcher = dispatcher(both.prefixed("x"));
    let ctx = RunContext::new();
    let calls = vec![call("x_pay"), ToolCall::new("c2", "x_user_ask", json!({}))];
    let batch = dispatcher.dispatch(&(), &ctx, calls).await.unwrap();
    let deferred = batch.deferred.unwrap();
    assert_eq!(deferred.approvals[0].name, "pay");
    assert_eq!(deferred.calls[0].name, "ask");
    assert!(batch.messages.is_empty());
}

#[tokio::test]
async fn a_conflict_of_sets_or_with_the_registry_names_both_sides() {
    let registered = Dispatcher::new(set(&["search"])).with_toolset(set(&["search"]));
    let text = registered
        .turn(&RunContext::new())
        .await
        .unwrap_err()
        .to_string();
    assert!(
        text.contains("the registry and toolset 1 (ToolRegistry)"),
        "{text}"
    );
    let two = dispatcher(set(&["a"])).with_toolset(set(&["a"]).filtered(|_, _| true));
    let text = two.turn(&RunContext::new()).await.unwrap_err().to_string();
    assert!(
        text.contains("toolset 1 (ToolRegistry) and toolset 2 (FilteredToolSet)"),
        "{text}"
    );
    assert!(
        two.dispatch(&(), &RunContext::new(), vec![call("a")])
            .await
            .is_err()
    );
}

#[tokio::test]
async fn instructions_of_sets_join_the_system_prompt_once() {
    struct Guided;
    #[async_trait]
    impl ToolSet for Guided {
        async fn tools(&self, _: &RunContext) -> Result<Vec<Arc<dyn Tool>>, TinyAgentsError> {
            Ok(Vec::new())
        }
        fn instructions(&self) -> Option<String> {
            Some("Search first.".to_owned())
        }
    }
    let mut harness: AgentHarness<()> = AgentHarness::new();
    harness.with_model(ScriptedModel::new().text("a").text("b"));
    harness.with_toolset(Guided.prefixed("gh"));
    let first = harness
        .invoke(&(), vec![Message::system("Be brief.")])
        .await
        .unwrap();
    assert_eq!(first.messages[0].text(), "Be brief.\n\nSearch first.");
    let again = harness.invoke(&(), first.messages).await.unwrap();
    assert_eq!(again.messages[0].text(), "Be brief.\n\nSearch first.");
}

#[tokio::test]
async fn a_redacted_value_stays_unsaid_under_any_name() {
    let mut login = Echo::new("login").schema(json!({
        "type": "object",
        "properties": { "password": { "type": "string", "maxLength": 3 } },
    }));
    login.policy.access.redact = vec!["password".into()];
    let set = registry([login]).prepared(|mut tools, _| {
        tools[0].parameters["properties"]["password"]["minLength"] = json!(20);
        tools
    });
    let log = EventLog::new();
    let ctx = RunContext::new().with_events(log.clone());
    let dispatcher = dispatcher(set.prefixed("x"));
    for name in ["x_login", "login"] {
        for password in ["hunter2hunter2", "hun"] {
            let call = ToolCall::new("c1", name, json!({ "password": password }));
            let (text, is_error) = one(&dispatcher, &ctx, call).await;
            assert!(is_error && !text.contains("hun"), "{text}");
        }
    }
    let told = serde_json::to_string(&log.events().iter().collect::<Vec<_>>()).unwrap();
    assert!(!told.contains("hun"), "{told}");
}

/// A thousand tools behind a set.
fn thousand() -> Arc<dyn ToolSet> {
    let tools: Vec<String> = (0..1_000).map(|number| format!("tool_{number}")).collect();
    let names: Vec<&str> = tools.iter().map(String::as_str).collect();
    set(&names).prefixed("x")
}

#[tokio::test]
async fn a_thousand_tools_are_advertised_without_a_copy() {
    let dispatcher = dispatcher(thousand());
    let ctx = RunContext::new();
    let first = dispatcher.turn(&ctx).await.unwrap();
    let second = dispatcher.turn(&ctx).await.unwrap();
    let other_run = dispatcher.turn(&RunContext::new()).await.unwrap();
    assert_eq!(first.schemas().len(), 1_000);
    assert_eq!(first.schemas().as_ptr(), second.schemas().as_ptr());
    assert_eq!(first.schemas().as_ptr(), other_run.schemas().as_ptr());
    let _: &Value = &first.schemas()[0].parameters;
}

#[tokio::test]
async fn nor_are_they_copied_where_agents_and_middlewares_hide_some() {
    let all: Vec<String> = (0..1_000).map(|number| format!("tool_{number}")).collect();
    let listed = |count: usize| {
        let tools = all.iter().take(count).map(String::as_str);
        RunContext::new().with_definition(AgentDefinition::new("agent").with_tools(tools))
    };
    let selection = || {
        let allowed = all.iter().skip(1).map(String::as_str);
        ToolAllowlistMiddleware::new(allowed)
    };
    let dispatcher = dispatcher(thousand()).with_middleware(selection());
    let mut shown = Vec::new();
    // Two agents take turns, each in two runs.
    for _ in 0..2 {
        for count in [999, 500] {
            let ctx = listed(count);
            for _ in 0..2 {
                let turn = dispatcher.turn(&ctx).await.unwrap();
                assert_eq!(turn.schemas().len(), count - 1);
                shown.push(turn.schemas().as_ptr());
            }
        }
    }
    let (first, second) = (shown[0], shown[2]);
    assert_eq!(shown[..2], [first; 2], "each turn");
    assert_eq!(shown[4..6], [first; 2], "each run");
    assert_eq!(shown[2..4], [second; 2], "each turn");
    assert_eq!(shown[6..], [second; 2], "each run");

    // The same for requests of a harness.
    let model = ScriptedModel::new()
        .call("x_tool_1", json!({}))
        .text("done");
    let mut harness: AgentHarness<()> = AgentHarness::new();
    harness.with_model(model.clone());
    harness.with_toolset(thousand());
    harness.with_middleware(selection());
    let messages = vec![Message::user("go")];
    harness
        .invoke_in_context(&(), listed(999), messages)
        .await
        .unwrap();
    let requests = model.requests();
    let [first, second] = &requests[..] else {
        panic!("{} requests", requests.len());
    };
    assert_eq!(first.tools.len(), 998);
    assert!(Arc::ptr_eq(&first.tools, &second.tools), "each request");
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
async fn an_approval_is_of_the_declaration_that_a_set_had_prepared() {
    let mut pays = Echo::new("pay");
    pays.policy = ToolPolicy::classified().requiring_approval();
    let declared = Arc::new(Mutex::new("Pays up to 10.".to_owned()));
    let set = {
        let declared = Arc::clone(&declared);
        registry([pays.clone()]).prepared(move |mut tools, _| {
            tools[0].description.clone_from(&declared.lock().unwrap());
            tools
        })
    };
    let dispatcher = dispatcher(set);
    let ctx = RunContext::new();
    let requests = |batch: Batch| batch.deferred.unwrap();
    let batch = dispatcher
        .dispatch(&(), &ctx, vec![call("pay")])
        .await
        .unwrap();
    let asked = requests(batch);
    "Pays whatever is asked.".clone_into(&mut declared.lock().unwrap());
    let results = asked.approve_all();
    let resumed = dispatcher.resume(&(), &ctx, asked, results).await.unwrap();
    assert_eq!(pays.runs(), 0, "it is not what was approved");
    let again = requests(resumed);
    let results = again.approve_all();
    let resumed = dispatcher.resume(&(), &ctx, again, results).await.unwrap();
    assert_eq!(resumed.messages[0].content, "pay {}");
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

#[tokio::test]
async fn an_approved_call_through_the_bridge_is_of_the_twin_that_was_deferred() {
    let twin = |prefix| {
        let mut tool = Echo::deferred("go", "Goes.");
        tool.policy = ToolPolicy::classified().requiring_approval();
        (tool.clone(), registry([tool]).prefixed(prefix))
    };
    let ((left, lefts), (right, rights)) = (twin("left"), twin("right"));
    let dispatcher = Dispatcher::new(ToolRegistry::new())
        .with_toolset(CombinedToolSet::new(vec![lefts, rights]));
    for (name, runs) in [("right_go", [0, 1]), ("left_go", [1, 1])] {
        let ctx = RunContext::new();
        let call = ToolCall::new("c1", "tool_call", json!({ "name": name, "arguments": {} }));
        let batch = dispatcher.dispatch(&(), &ctx, vec![call]).await.unwrap();
        let requests = batch.deferred.unwrap();
        assert_eq!(requests.approvals[0].name, "go");
        // It may wait for days, as text.
        let requests = serde_json::to_string(&requests).unwrap();
        let requests: DeferredToolRequests = serde_json::from_str(&requests).unwrap();
        let results = requests.approve_all();
        let resumed = dispatcher.resume(&(), &ctx, requests, results).await;
        let row = &resumed.unwrap().messages[0];
        assert_eq!((row.content.as_str(), row.is_error), ("go {}", false));
        assert_eq!([left.runs(), right.runs()], runs);
    }
}

#[tokio::test]
async fn an_approval_is_not_turned_to_another_tool_by_the_name_that_it_is_shown_by() {
    let mut pays = Echo::new("pay");
    pays.policy = ToolPolicy::classified().requiring_approval();
    let dispatcher = Dispatcher::new(registry([Echo::new("read"), pays.clone()]));
    let ctx = RunContext::new();
    let call = ToolCall::new("c1", "pay", json!({}));
    let batch = dispatcher.dispatch(&(), &ctx, vec![call]).await.unwrap();
    let mut requests = batch.deferred.unwrap();
    requests.approvals[0].shown_name = "read".to_owned();
    let results = requests.approve_all();
    let resumed = dispatcher.resume(&(), &ctx, requests, results).await;
    assert_eq!(resumed.unwrap().messages[0].content, "pay {}");
}
