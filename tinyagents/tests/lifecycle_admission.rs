//! From the call a model makes to the call that runs: names, arguments, hidden values, approval.

#![allow(missing_docs, clippy::unwrap_used)]

mod lifecycle_support;

use lifecycle_support::{Made, add, call, dispatch, dispatcher};
use serde_json::json;
use tinyagents::runtime::{RunPolicy, UnknownToolPolicy};
use tinyagents::tinytools::{Injected, ToolError, ToolExposure, ToolPolicy, ToolResult};
use tinyagents::{AgentEvent, EventLog, RunContext, TinyAgentsError, ToolCall};

#[tokio::test]
async fn an_unknown_tool_is_named_echoed_and_the_list_is_given() {
    let log = EventLog::new();
    let ctx = RunContext::new().with_events(log.clone());
    let dispatcher = dispatcher([add()]);
    let calls = vec![ToolCall::new("c1", "missing", json!({ "q": "rust" }))];
    let batch = dispatch(&dispatcher, &ctx, calls).await;
    let row = &batch.messages[0];
    assert!(row.is_error);
    for part in ["unknown tool `missing`", r#"{"q":"rust"}"#, "add"] {
        assert!(row.content.contains(part), "{}", row.content);
    }
    assert!(log.events().iter().any(|event| matches!(event,
        AgentEvent::UnknownToolCall { requested_name, recovery, arguments, .. }
            if requested_name == "missing" && recovery == "tool_error" && arguments["q"] == "rust")));
}

#[tokio::test]
async fn an_unknown_tool_fails_the_dispatch_where_the_policy_says_so_and_nothing_has_run() {
    let tool = Made::echo("echo");
    let policy = RunPolicy {
        unknown_tool: UnknownToolPolicy::Fail,
        ..RunPolicy::default()
    };
    let dispatcher = dispatcher([tool.clone()]).with_policy(policy);
    let calls = vec![call("c1", "echo"), call("c2", "missing")];
    let error = dispatcher
        .dispatch(&(), &RunContext::new(), calls)
        .await
        .unwrap_err();
    assert!(matches!(error, TinyAgentsError::ToolNotFound(name) if name == "missing"));
    assert_eq!(tool.runs(), 0);
}

#[tokio::test]
async fn an_unknown_tool_is_rewritten_once_and_falls_back_where_the_target_is_unknown() {
    for (target, recovery, answered) in [
        ("echo", "rewrite:echo", true),
        ("nowhere", "tool_error", false),
    ] {
        let log = EventLog::new();
        let ctx = RunContext::new().with_events(log.clone());
        let policy = RunPolicy {
            unknown_tool: UnknownToolPolicy::Rewrite {
                tool_name: target.into(),
            },
            ..RunPolicy::default()
        };
        let dispatcher = dispatcher([Made::echo("echo")]).with_policy(policy);
        let batch = dispatch(&dispatcher, &ctx, vec![call("c1", "missing")]).await;
        assert_eq!(!batch.messages[0].is_error, answered);
        assert_eq!(batch.messages[0].tool_name, "missing");
        let labels: Vec<String> = log
            .events()
            .iter()
            .filter_map(|event| match event {
                AgentEvent::UnknownToolCall { recovery, .. } => Some(recovery.clone()),
                _ => None,
            })
            .collect();
        assert_eq!(labels, [recovery]);
    }
}

#[tokio::test]
async fn a_hidden_tool_is_unknown_and_not_listed() {
    let mut secret = Made::echo("secret");
    secret.exposure = ToolExposure::Hidden;
    let dispatcher = dispatcher([secret.clone(), add()]);
    let batch = dispatch(&dispatcher, &RunContext::new(), vec![call("c1", "secret")]).await;
    assert!(batch.messages[0].content.contains("unknown tool `secret`"));
    assert!(batch.messages[0].content.ends_with("available tools: add"));
    assert_eq!(secret.runs(), 0);
}

#[tokio::test]
async fn arguments_that_are_no_json_are_answered_with_an_event() {
    let log = EventLog::new();
    let ctx = RunContext::new().with_events(log.clone());
    let tool = add();
    let dispatcher = dispatcher([tool.clone()]);
    let calls = vec![ToolCall::from_text("c1", "add", r#"{"a":1,"b":"#)];
    let batch = dispatch(&dispatcher, &ctx, calls).await;
    assert!(batch.messages[0].is_error);
    assert_eq!(tool.runs(), 0);
    assert!(log.events().iter().any(|event| matches!(event,
        AgentEvent::InvalidToolArgs { recovery, .. } if recovery == "tool_error")));
}

#[tokio::test]
async fn every_fault_of_the_arguments_is_told_with_the_part_of_the_schema() {
    let dispatcher = dispatcher([add()]);
    let calls = vec![ToolCall::new("c1", "add", json!({ "a": "x", "c": 1 }))];
    let batch = dispatch(&dispatcher, &RunContext::new(), calls).await;
    let lines: Vec<&str> = batch.messages[0].content.lines().collect();
    assert_eq!(
        lines,
        [
            "invalid arguments for `add`:",
            r#"- a: expected an integer, got the string "x"; send a whole number"#,
            "- c: expected one of `a`, `b`, `note`, got an unknown property; remove it",
            "- b: expected an integer, got nothing; add it, it is required",
            r#"schema of `a`: {"type":"integer"}"#,
        ]
    );
}

#[tokio::test]
async fn a_null_for_an_optional_argument_is_dropped() {
    let tool = Made::echo("echo").schema(json!({
        "type": "object",
        "properties": { "a": { "type": "string" }, "b": { "type": ["string", "null"] } }
    }));
    let calls = vec![ToolCall::new("c1", "echo", json!({ "a": null, "b": null }))];
    let batch = dispatch(&dispatcher([tool]), &RunContext::new(), calls).await;
    assert_eq!(batch.messages[0].content, r#"{"b":null}"#);
}

#[tokio::test]
async fn a_forged_hidden_value_never_arrives_and_is_reported_without_its_value() {
    let log = EventLog::new();
    let ctx = RunContext::new().provide(7_u64).with_events(log.clone());
    let mut tool = Made::echo("echo");
    tool.injected = vec![Injected::of::<u64>("tenant")];
    let calls = vec![ToolCall::new(
        "c1",
        "echo",
        json!({ "tenant": "forged-value", "q": 1 }),
    )];
    let batch = dispatch(&dispatcher([tool]), &ctx, calls).await;
    assert_eq!(batch.messages[0].content, r#"{"q":1}"#);
    let events = log.events();
    let forged = |event: &AgentEvent| matches!(event, AgentEvent::ForgedHiddenArgument { .. });
    assert_eq!(events.iter().filter(|event| forged(event)).count(), 1);
    assert!(!format!("{events:?}").contains("forged-value"));
}

#[tokio::test]
async fn a_missing_hidden_value_is_an_error_before_anything_runs() {
    let other = Made::echo("other");
    let mut tool = Made::echo("needs");
    tool.injected = vec![
        Injected::of::<u64>("tenant"),
        Injected::of::<u32>("extra").optional(),
    ];
    let error = dispatcher([tool, other.clone()])
        .dispatch(&(), &RunContext::new(), vec![call("c1", "other")])
        .await
        .unwrap_err()
        .to_string();
    for part in ["needs", "tenant", "u64"] {
        assert!(error.contains(part), "{error}");
    }
    assert_eq!(other.runs(), 0);
}

#[tokio::test]
async fn the_state_of_a_dispatch_counts_as_provided() {
    let mut tool = Made::echo("needs");
    tool.injected = vec![Injected::of::<String>("state")];
    let state = String::from("state");
    let calls = vec![call("c1", "needs")];
    let batch = dispatcher([tool])
        .dispatch(&state, &RunContext::new(), calls)
        .await
        .unwrap();
    assert!(!batch.messages[0].is_error);
}

#[tokio::test]
async fn an_approval_leaves_the_loop_and_the_siblings_are_answered() {
    let guarded = Made::echo("guarded").policy(ToolPolicy::classified().requiring_approval());
    let raises = Made::new("raises", |_| async {
        Err(
            anyhow::Error::new(ToolError::approval_required(json!({ "why": "cost" })))
                .context("layer"),
        )
    });
    let dispatcher = dispatcher([guarded.clone(), raises, Made::echo("echo")]);
    let ctx = RunContext::new();
    let calls = vec![call("a", "guarded"), call("b", "echo"), call("c", "raises")];
    let batch = dispatch(&dispatcher, &ctx, calls).await;
    assert_eq!(batch.messages.len(), 1);
    assert_eq!(batch.messages[0].call_id, "b");
    let deferred = batch.deferred.unwrap();
    let ids: Vec<&str> = deferred
        .approvals
        .iter()
        .map(|call| call.id.as_str())
        .collect();
    assert_eq!(ids, ["a", "c"]);
    assert_eq!(deferred.metadata["c"], json!({ "why": "cost" }));
    assert_eq!(guarded.runs(), 0);
}

#[tokio::test]
async fn nobody_is_asked_to_approve_a_malformed_call() {
    let guarded = add().policy(ToolPolicy::classified().requiring_approval());
    let batch = dispatch(
        &dispatcher([guarded]),
        &RunContext::new(),
        vec![call("a", "add")],
    )
    .await;
    assert!(batch.deferred.is_none());
    assert!(batch.messages[0].is_error);
}

#[tokio::test]
async fn faults_beyond_the_twentieth_are_counted_and_not_told() {
    let many = Made::echo("many").schema(json!({
        "type": "object",
        "properties": { "list": { "type": "array", "items": { "type": "integer" } } }
    }));
    let calls = vec![ToolCall::new(
        "c1",
        "many",
        json!({ "list": vec!["x"; 50] }),
    )];
    let batch = dispatch(&dispatcher([many]), &RunContext::new(), calls).await;
    let text = &batch.messages[0].content;
    assert_eq!(text.matches("\n- ").count(), 20, "{text}");
    assert!(text.contains("\n… and 30 more\n"), "{text}");
}

#[tokio::test]
async fn a_tool_that_is_not_advertised_still_keeps_its_secrets_out_of_rows_and_events() {
    let mut policy = ToolPolicy::read_only();
    policy.access.redact = vec!["password".into()];
    let mut login = Made::echo("login").policy(policy);
    login.exposure = ToolExposure::Deferred;
    login.injected = vec![Injected::of::<u64>("tenant").optional()];
    for unknown_tool in [
        UnknownToolPolicy::ReturnToolError,
        UnknownToolPolicy::Rewrite {
            tool_name: "sink".into(),
        },
    ] {
        let log = EventLog::new();
        let ctx = RunContext::new().with_events(log.clone());
        let sink = Made::new("sink", |_| async { Ok(ToolResult::success("")) });
        let dispatcher = dispatcher([login.clone(), sink]).with_policy(RunPolicy {
            unknown_tool,
            ..RunPolicy::default()
        });
        let raw = r#"{"password":"hunter2","#;
        let calls = vec![
            ToolCall::new(
                "c1",
                "login",
                json!({ "password": "hunter2", "tenant": "hunter3", "user": "ada" }),
            ),
            ToolCall::from_text("c2", "login", raw),
        ];
        let batch = dispatch(&dispatcher, &ctx, calls).await;
        let told = format!("{:?}{:?}", batch.messages, log.events());
        assert!(!told.contains("hunter"), "{told}");
        assert!(
            told.contains("[redacted]") && told.contains("ada"),
            "{told}"
        );
    }
}

#[tokio::test]
async fn a_name_that_is_no_tools_is_told_with_its_arguments_verbatim() {
    let log = EventLog::new();
    let ctx = RunContext::new().with_events(log.clone());
    let arguments = json!({ "password": "hunter2" });
    let calls = vec![ToolCall::new("c1", "nowhere", arguments.clone())];
    dispatch(&dispatcher([add()]), &ctx, calls).await;
    assert!(log.events().iter().any(
        |event| matches!(event, AgentEvent::UnknownToolCall { arguments: told, .. } if *told == arguments)
    ));
}
