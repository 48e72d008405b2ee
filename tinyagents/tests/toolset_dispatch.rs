//! Toolsets in a dispatcher and a harness: what is shown and run, and at what cost.

#![allow(missing_docs, clippy::unwrap_used)]

mod toolset_support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use tinyagents::middleware::ToolAllowlistMiddleware;
use tinyagents::toolset::{CombinedToolSet, ToolSet, ToolSetExt};
use tinyagents::{
    AgentDefinition, AgentEvent, AgentHarness, Dispatcher, EventLog, Message, RunContext,
    ScriptedModel, TinyAgentsError, Tool, ToolCall, async_trait,
};
use toolset_support::{Echo, call, dispatcher, registry, set};

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
