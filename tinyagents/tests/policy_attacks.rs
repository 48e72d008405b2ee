//! Ways around a policy or a list, and why they lead nowhere.

#![allow(missing_docs, clippy::unwrap_used)]

mod lifecycle_support;
mod policy_support;

use lifecycle_support::{Made, call, dispatch, dispatcher, go, harness, row};
use policy_support::{Meddler, payment};
use serde_json::json;
use tinyagents::middleware::{
    ContextualToolSelectionMiddleware, DynamicToolSelectionMiddleware, Middleware,
    RedactionMiddleware, ToolAllowlistMiddleware, ToolPolicyMiddleware,
};
use tinyagents::model::{Message, ModelRequest, ScriptedModel, ToolChoice};
use tinyagents::runtime::{NotAllowedPolicy, RunPolicy, UnknownToolPolicy};
use tinyagents::tinytools::{ToolContent, ToolPolicy, ToolResult, ToolScope, async_trait};
use tinyagents::{
    AgentEvent, EventLog, PermissionLevel, RunContext, TinyAgentsError, ToolExposure, ToolSchema,
};

fn deny_payment() -> ToolPolicyMiddleware {
    ToolPolicyMiddleware::new([]).deny_side_effects(payment().side_effects)
}

#[tokio::test]
async fn a_middleware_behind_the_policy_cannot_lead_a_call_to_a_denied_tool() {
    let pay = Made::echo("pay").policy(payment());
    let dispatcher = dispatcher([Made::echo("echo"), pay.clone()])
        .with_middleware(deny_payment())
        .with_middleware(Meddler(|call| "pay".clone_into(&mut call.name)));
    let batch = dispatch(&dispatcher, &RunContext::new(), vec![call("c1", "echo")]).await;
    assert!(batch.messages[0].content.contains("`pay` is not allowed"));
    assert_eq!(pay.runs(), 0);
}

#[tokio::test]
async fn an_unknown_call_is_not_rewritten_to_a_denied_tool() {
    let pay = Made::echo("pay").policy(payment());
    let policy = || RunPolicy {
        unknown_tool: UnknownToolPolicy::Rewrite {
            tool_name: "pay".into(),
        },
        ..RunPolicy::default()
    };
    let dispatcher = dispatcher([pay.clone()])
        .with_policy(policy())
        .with_middleware(deny_payment());
    let batch = dispatch(&dispatcher, &RunContext::new(), vec![call("c1", "missing")]).await;
    assert!(batch.messages[0].is_error);

    let model = ScriptedModel::new().call("missing", json!({})).text("end");
    let mut harness = harness(model, [pay.clone()]);
    harness.with_policy(policy());
    harness.with_middleware(deny_payment());
    assert!(row(&go(&harness).await).is_error);
    assert_eq!(pay.runs(), 0);
}

#[tokio::test]
async fn a_denied_tool_that_a_later_middleware_shows_again_does_not_run() {
    struct Show(ToolSchema);
    #[async_trait]
    impl Middleware for Show {
        async fn before_model(
            &self,
            _: &mut RunContext,
            request: &mut ModelRequest,
        ) -> Result<(), TinyAgentsError> {
            request.tools = [self.0.clone()].into();
            Ok(())
        }
    }
    let pay = Made::echo("pay").policy(payment());
    let model = ScriptedModel::new().call("pay", json!({})).text("end");
    let mut harness = harness(model.clone(), [pay.clone()]);
    harness.with_middleware(deny_payment());
    harness.with_middleware(Show(ToolSchema::new(
        "pay",
        "",
        json!({ "type": "object" }),
    )));
    let run = go(&harness).await;
    assert_eq!(model.requests()[0].tools.len(), 1);
    assert!(row(&run).content.contains("not allowed"));
    assert_eq!(pay.runs(), 0);
}

#[tokio::test]
async fn a_host_only_tool_is_as_unknown_as_one_that_does_not_exist() {
    let mut secret = Made::echo("secret").policy(payment());
    secret.exposure = ToolExposure::Hidden;
    let model = ScriptedModel::new()
        .calls([("secret", json!({})), ("missing", json!({}))])
        .text("end");
    let mut harness = harness(model, [Made::echo("echo"), secret.clone()]);
    harness.with_middleware(ToolPolicyMiddleware::strict(harness.policies()));
    harness.with_middleware(ToolAllowlistMiddleware::new(["echo"]));
    let run = go(&harness).await;
    let rows: Vec<_> = run.messages.iter().filter_map(Message::as_tool).collect();
    assert_eq!(
        rows[0].content.replace("secret", "missing"),
        rows[1].content,
        "nothing tells the two apart"
    );
    assert_eq!(secret.runs(), 0);
    assert_eq!(ToolScope::default(), ToolScope::All);
}

#[tokio::test]
async fn a_denied_call_is_told_as_the_run_policy_says() {
    let refusing = |policy: RunPolicy| {
        let model = ScriptedModel::new().call("pay", json!({})).text("end");
        let mut harness = harness(model, [Made::echo("pay").policy(payment())]);
        harness.with_policy(policy);
        harness.with_middleware(ToolPolicyMiddleware::strict(harness.policies()));
        harness
    };
    let log = EventLog::new();
    let ctx = RunContext::new().with_events(log.clone());
    let told = refusing(RunPolicy::default());
    let run = told.invoke_in_context(&(), ctx, vec![]).await.unwrap();
    assert!(row(&run).is_error);
    assert!(log.events().iter().any(|event| matches!(
        event,
        AgentEvent::ToolNotAllowed { tool_name, .. } if tool_name == "pay"
    )));

    let failing = refusing(RunPolicy {
        not_allowed: NotAllowedPolicy::Fail,
        ..RunPolicy::default()
    });
    let error = failing.invoke(&(), vec![]).await.unwrap_err();
    assert!(matches!(error, TinyAgentsError::ToolNotAllowed { tool, .. } if tool == "pay"));
}

#[tokio::test]
async fn a_permission_that_cannot_be_told_is_not_granted() {
    let mut broken = Made::echo("broken");
    broken.permission = |_| panic!("no idea");
    let dispatcher = dispatcher([broken.clone()])
        .with_middleware(ToolPolicyMiddleware::new([]).max_permission(PermissionLevel::Dangerous));
    let turn = dispatcher.turn(&RunContext::new()).await.unwrap();
    assert!(turn.schemas().is_empty());
    let batch = dispatch(&dispatcher, &RunContext::new(), vec![call("c1", "broken")]).await;
    assert_eq!((batch.messages[0].is_error, broken.runs()), (true, 0));
}

#[tokio::test]
async fn the_discovery_bridge_passes_a_strict_policy_only_where_it_is_exempt() {
    for exempt in [false, true] {
        let strict = ToolPolicyMiddleware::strict([]).exempt_discovery_bridge(exempt);
        let mut request = ModelRequest::new(vec![]).with_tools(vec![
            ToolSchema::new("tool_search", "", json!({})),
            ToolSchema::new("tool_searcher", "", json!({})),
        ]);
        request.tool_choice = ToolChoice::Tool("tool_searcher".into());
        strict
            .before_model(&mut RunContext::new(), &mut request)
            .await
            .unwrap();
        let shown: Vec<&str> = request
            .tools
            .iter()
            .map(|tool| tool.name.as_str())
            .collect();
        assert_eq!(shown, if exempt { vec!["tool_search"] } else { vec![] });
        assert_eq!(
            request.tool_choice,
            ToolChoice::Auto,
            "nothing hidden is demanded"
        );
    }
}

#[tokio::test]
async fn a_childs_lists_only_narrow_its_parents() {
    let names = [
        "both",
        "parent",
        "child",
        "denied_above",
        "denied_below",
        "neither",
    ];
    let selection = ContextualToolSelectionMiddleware::inheriting(
        Some(["both", "parent", "denied_above", "denied_below"]),
        ["denied_above"],
        Some(["both", "child", "denied_above", "denied_below"]),
        ["denied_below"],
    );
    let tools = names.map(Made::echo);
    let dispatcher = dispatcher(tools.clone()).with_middleware(selection);
    let calls = names.map(|name| call(name, name)).to_vec();
    dispatch(&dispatcher, &RunContext::new(), calls).await;
    let ran: Vec<&str> = tools
        .iter()
        .filter(|tool| tool.runs() > 0)
        .map(|tool| tool.name)
        .collect();
    assert_eq!(ran, ["both"]);

    let all_but = ContextualToolSelectionMiddleware::from_lists(None::<[&str; 0]>, ["b"]);
    assert!(all_but.hides(&RunContext::new(), "a").is_none());
    assert!(all_but.hides(&RunContext::new(), "b").is_some());
    let none = ContextualToolSelectionMiddleware::from_lists(Some::<[&str; 0]>([]), ["b"]);
    assert!(none.hides(&RunContext::new(), "a").is_some());
}

#[tokio::test]
async fn a_selection_by_depth_hides_and_refuses_in_a_child() {
    let tool = Made::echo("spawn");
    let dispatcher = dispatcher([tool.clone()]).with_middleware(
        ContextualToolSelectionMiddleware::new(|ctx, name| ctx.depth() == 0 || name != "spawn"),
    );
    let parent = RunContext::new();
    for (ctx, runs) in [(parent.clone(), 1), (parent.child(), 1)] {
        dispatch(&dispatcher, &ctx, vec![call("c1", "spawn")]).await;
        assert_eq!(tool.runs(), runs);
    }
    assert!(
        dispatcher
            .turn(&parent.child())
            .await
            .unwrap()
            .schemas()
            .is_empty()
    );
}

#[tokio::test]
async fn a_dynamic_selection_reads_the_tools_own_declaration() {
    let tools = [Made::echo("a"), Made::echo("b")];
    let dispatcher = dispatcher(tools.clone())
        .with_middleware(DynamicToolSelectionMiddleware::new(|tool| tool.name == "a"));
    dispatch(
        &dispatcher,
        &RunContext::new(),
        vec![call("c1", "a"), call("c2", "b")],
    )
    .await;
    assert_eq!((tools[0].runs(), tools[1].runs()), (1, 0));
}

#[tokio::test]
async fn a_redacted_text_reaches_neither_the_model_nor_an_event() {
    let tool = Made::new("read", |_| async {
        Ok(
            ToolResult::json(json!({ "key-s3cret": ["a s3cret", 4711] }))
                .with_markdown("**s3cret**")
                .with_metadata(json!({ "note": "s3cret" }))
                .with_content(ToolContent::image_url("https://x/s3cret.png"))
                .with_content(ToolContent::file("s3cret", *b"it is s3cret", "s3cret/x"))
                .with_content(ToolContent::Artifact {
                    uri: "x:s3cret".into(),
                    media_type: Some("s3cret/x".into()),
                    bytes: None,
                    description: Some("s3cret".into()),
                })
                .with_follow_up(ToolContent::text("s3cret too"))
                .with_follow_up(ToolContent::image_url("https://x/?q=s3cret")),
        )
    })
    .schema(json!({
        "type": "object",
        "properties": { "q": { "type": "string", "description": "Not s3cret.", "default": 4711 } }
    }));
    let described = ToolSchema::new("described", "Use s3cret.", json!({ "type": "object" }));
    let model = ScriptedModel::new()
        .call("read", json!({ "q": "s3cret" }))
        .text("it is s3cret");
    let mut harness = harness(model.clone(), [tool]);
    harness.register_external_tool(described).unwrap();
    harness.with_middleware(RedactionMiddleware::new(["s3cret", "4711", ""]));
    let log = EventLog::new();
    let ctx = RunContext::new().with_events(log.clone());
    let picture = ToolContent::image_url("https://x/s3cret");
    let messages = vec![
        Message::system("know s3cret"),
        Message::user("tell s3cret"),
        Message::user_blocks(vec![picture]),
    ];
    let run = harness.invoke_in_context(&(), ctx, messages).await.unwrap();
    let sent = format!("{:?}", model.requests());
    assert!(!sent.contains("s3cret") && !sent.contains("4711"), "{sent}");
    let bytes = format!("{:?}", b"s3cret");
    assert!(!sent.contains(bytes.trim_matches(['[', ']'])), "{sent}");
    assert_eq!(model.requests()[0].tools.len(), 2);
    assert!(!format!("{:?}", log.events()).contains("s3cret"));
    assert_eq!(run.final_text.as_deref(), Some("it is [redacted]"));
    assert_eq!(
        run.messages[0].text(),
        "know s3cret",
        "the host's own transcript stays"
    );
    let shown = format!("{:?}", RedactionMiddleware::new(["s3cret"]));
    assert!(!shown.contains("s3cret"));
}

#[tokio::test]
async fn results_are_cut_to_the_bound_that_the_host_gives_a_tool() {
    let mut policy = ToolPolicy::read_only();
    policy.runtime.max_result_bytes = Some(80);
    let tool = Made::new("long", |_| async {
        Ok(ToolResult::success("ä".repeat(500)))
    });
    for enforced in [false, true] {
        let policies = [("long".to_owned(), policy.clone())];
        let dispatcher = dispatcher([tool.clone()])
            .with_middleware(ToolPolicyMiddleware::new(policies).enforce_result_bytes(enforced));
        let batch = dispatch(&dispatcher, &RunContext::new(), vec![call("c1", "long")]).await;
        let row = &batch.messages[0];
        assert_eq!(row.content.len() <= 80, enforced);
        assert_eq!(
            row.content.contains("[cut: the result has 1000 bytes]"),
            enforced
        );
        let flagged = batch
            .metadata
            .first()
            .map(|told| &told.metadata["truncated"]);
        assert_eq!(flagged, enforced.then_some(&json!(true)));
    }
}
