//! Calls of found tools through the bridge: what looks at them, and what stays unknown and unsaid.

#![allow(missing_docs, clippy::unwrap_used, clippy::needless_pass_by_value)]

mod discovery_support;
mod toolset_support;

use std::sync::{Arc, Mutex};

use discovery_support::{bridged, dispatcher};
use serde_json::json;
use tinyagents::middleware::{Middleware, ToolDecision};
use tinyagents::toolset::ToolSetExt;
use tinyagents::{
    AgentHarness, Dispatcher, EventLog, Message, PausedRun, RunContext, ScriptedModel,
    TinyAgentsError, ToolCall, async_trait,
};
use toolset_support::{Echo, one, registry};

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
