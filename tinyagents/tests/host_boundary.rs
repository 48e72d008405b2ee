//! Runs that belong to an agent's definition.

#![allow(missing_docs, clippy::unwrap_used)]

mod lifecycle_support;

use lifecycle_support::{Made, call, dispatch, dispatcher, harness};
use serde_json::json;
use tinyagents::middleware::{Middleware, ToolDecision};
use tinyagents::model::{Message, ScriptedModel};
use tinyagents::runtime::{HostCapabilities, NotAllowedPolicy, RunPolicy};
use tinyagents::tinytools::{ToolPolicy, async_trait};
use tinyagents::{
    AgentDefinition, AgentEvent, EventLog, RunContext, TinyAgentsError, ToolCall, ToolExposure,
};

const NAMES: [&str; 3] = ["a", "b", "c"];

/// The tools that ran and those that were shown, when each is called.
async fn ran(
    ctx: RunContext,
    capabilities: Option<HostCapabilities>,
) -> (Vec<&'static str>, usize) {
    let tools = NAMES.map(Made::echo);
    let calls = NAMES.map(|name| (name, json!({})));
    let model = ScriptedModel::new().calls(calls).text("end");
    let mut harness = harness(model.clone(), tools.clone());
    if let Some(capabilities) = capabilities {
        harness.with_host_capabilities(capabilities);
    }
    harness
        .invoke_in_context(&(), ctx, vec![Message::user("go")])
        .await
        .unwrap();
    let ran = tools
        .iter()
        .filter(|tool| tool.runs() > 0)
        .map(|tool| tool.name)
        .collect();
    (ran, model.requests()[0].tools.len())
}

fn defined(tools: &[&str]) -> RunContext {
    RunContext::new().with_definition(definition(tools))
}

fn definition(tools: &[&str]) -> AgentDefinition {
    AgentDefinition::new("agent").with_tools(tools.iter().copied())
}

fn legacy() -> HostCapabilities {
    HostCapabilities::default().with_legacy_unrestricted_tool_allowlist()
}

fn in_need_of(credentials: &[&str]) -> Made {
    let mut policy = ToolPolicy::read_only();
    policy.access.credentials = credentials.iter().map(ToString::to_string).collect();
    Made::echo("a").policy(policy)
}

#[tokio::test]
async fn a_credential_that_the_run_is_said_not_to_have_fails_it_before_anything_runs() {
    let tool = in_need_of(&["HUB", "MAIL"]);
    let dispatcher = dispatcher([tool.clone(), Made::echo("b")]);
    let named = |names: &[&str]| RunContext::new().with_credentials(names.iter().copied());
    for lacking in [named(&[]), named(&["HUB"]), named(&["HUB"]).child()] {
        let failed = dispatcher
            .dispatch(&(), &lacking, vec![call("1", "b")])
            .await;
        let Err(TinyAgentsError::MissingCredential { tool, credential }) = failed else {
            unreachable!("{failed:?}")
        };
        assert_eq!(tool, "a");
        assert!(["HUB", "MAIL"].contains(&credential.as_str()));
        let harness = harness(
            ScriptedModel::new().text("end"),
            [in_need_of(&["HUB", "MAIL"])],
        );
        let failed = harness.invoke_in_context(&(), lacking, Vec::new()).await;
        assert!(matches!(
            failed,
            Err(TinyAgentsError::MissingCredential { .. })
        ));
    }
    for enough in [
        RunContext::new(),
        RunContext::new().child(),
        named(&["MAIL", "HUB", "MORE"]),
        named(&["HUB", "MAIL"]).child(),
    ] {
        dispatch(&dispatcher, &enough, vec![call("1", "a")]).await;
    }
    assert_eq!(tool.runs(), 4);
}

#[tokio::test]
async fn a_child_can_not_say_that_it_has_a_credential_that_its_parent_has_not() {
    let dispatcher = dispatcher([in_need_of(&["MAIL"])]);
    let parent = RunContext::new().with_credentials(["HUB"]);
    for child in [
        parent.child().with_credentials(["HUB", "MAIL"]),
        parent.child().child().with_credentials(["MAIL"]),
    ] {
        let failed = dispatcher.dispatch(&(), &child, vec![call("1", "a")]).await;
        assert!(matches!(
            failed,
            Err(TinyAgentsError::MissingCredential { .. })
        ));
    }
    let narrowed = RunContext::new().child().with_credentials(["HUB"]);
    let failed = dispatcher
        .dispatch(&(), &narrowed, vec![call("1", "a")])
        .await;
    assert!(failed.is_err());
}

#[tokio::test]
async fn a_run_without_a_definition_has_no_list() {
    assert_eq!(ran(RunContext::new(), None).await, (NAMES.to_vec(), 3));
}

#[tokio::test]
async fn a_definition_shows_and_runs_what_it_lists() {
    assert_eq!(
        ran(defined(&["b", "elsewhere"]), None).await,
        (vec!["b"], 1)
    );
    assert_eq!(ran(defined(&["b"]), Some(legacy())).await, (vec!["b"], 1));
}

#[tokio::test]
async fn an_empty_or_absent_list_denies_everything_unless_the_host_opts_out() {
    let absent = RunContext::new().with_definition(AgentDefinition::new("agent"));
    for ctx in [defined(&[]), absent] {
        assert_eq!(ran(ctx.clone(), None).await, (vec![], 0));
        let ctx = ctx.child();
        assert_eq!(ran(ctx, None).await, (vec![], 0));
    }
    assert_eq!(ran(defined(&[]), Some(legacy())).await, (NAMES.to_vec(), 3));
}

#[tokio::test]
async fn a_child_only_narrows() {
    let parent = defined(&["a", "b"]);
    assert_eq!(ran(parent.child(), None).await.0, ["a", "b"]);
    let child = parent.child().with_definition(definition(&["b", "c"]));
    assert_eq!(ran(child.clone(), None).await.0, ["b"]);
    let grandchild = child.child().with_definition(definition(&["a", "b", "c"]));
    assert_eq!(ran(grandchild, None).await.0, ["b"]);
    // Not even where its own host knows no lists.
    let child = parent.child().with_definition(AgentDefinition::new("any"));
    assert_eq!(ran(child, Some(legacy())).await.0, ["a", "b"]);
}

/// Runs an agent of its own on another host, in a child of the context that it is called in.
struct Spawning;

#[async_trait]
impl Middleware for Spawning {
    async fn before_tool(
        &self,
        ctx: &mut RunContext,
        _: &mut ToolCall,
    ) -> Result<ToolDecision, TinyAgentsError> {
        let inner = ctx.child();
        let (ran, shown) = ran(inner, Some(legacy())).await;
        assert!(ran.is_empty() && shown == 0, "{ran:?}");
        Ok(ToolDecision::Proceed)
    }
}

#[tokio::test]
async fn a_child_on_a_host_without_lists_stays_denied_what_its_parent_is() {
    let dispatcher = dispatcher([Made::echo("a")]).with_middleware(Spawning);
    let batch = dispatch(&dispatcher, &defined(&[]), vec![call("c1", "a")]).await;
    assert!(batch.messages[0].content.contains("not allowed"));
}

#[tokio::test]
async fn a_tool_that_is_not_listed_is_refused_as_the_policy_says_and_told() {
    let log = EventLog::new();
    let ctx = defined(&["a"]).with_events(log.clone());
    let tools = NAMES.map(Made::echo);
    let host = dispatcher(tools.clone());
    let turn = host.turn(&ctx).await.unwrap();
    assert_eq!(turn.schemas().len(), 1);
    let batch = turn
        .dispatch(&(), &ctx, vec![call("c1", "b")])
        .await
        .unwrap();
    assert!(batch.messages[0].content.contains("`b` is not allowed"));
    let events = log.events();
    assert!(
        events.iter().any(
            |event| matches!(event, AgentEvent::ToolsFiltered { tools, .. } if tools.len() == 2)
        )
    );
    assert!(
        events
            .iter()
            .any(|event| matches!(event, AgentEvent::ToolNotAllowed { .. }))
    );

    let failing = dispatcher(tools.clone()).with_policy(RunPolicy {
        not_allowed: NotAllowedPolicy::Fail,
        ..RunPolicy::default()
    });
    let error = failing
        .dispatch(&(), &ctx, vec![call("c1", "b")])
        .await
        .unwrap_err();
    assert!(matches!(error, TinyAgentsError::ToolNotAllowed { .. }));
    assert!(tools.iter().all(|tool| tool.runs() == 0));
}

#[tokio::test]
async fn a_list_does_not_bring_out_a_host_only_tool() {
    let mut secret = Made::echo("secret");
    secret.exposure = ToolExposure::Hidden;
    let host = dispatcher([secret.clone()]);
    for tools in [&["secret"][..], &["other"]] {
        let batch = dispatch(&host, &defined(tools), vec![call("c1", "secret")]).await;
        assert!(batch.messages[0].content.contains("unknown tool"));
    }
    assert_eq!(secret.runs(), 0);
}

#[tokio::test]
async fn a_call_cannot_be_renamed_past_the_list() {
    struct Rename;
    #[async_trait]
    impl Middleware for Rename {
        async fn before_tool(
            &self,
            _: &mut RunContext,
            call: &mut ToolCall,
        ) -> Result<ToolDecision, TinyAgentsError> {
            "b".clone_into(&mut call.name);
            Ok(ToolDecision::Proceed)
        }
    }
    let tools = NAMES.map(Made::echo);
    let host = dispatcher(tools.clone()).with_middleware(Rename);
    let batch = dispatch(&host, &defined(&["a"]), vec![call("c1", "a")]).await;
    assert!(batch.messages[0].is_error);
    assert!(tools.iter().all(|tool| tool.runs() == 0));
}
