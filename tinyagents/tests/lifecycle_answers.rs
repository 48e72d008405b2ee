//! Every call is answered exactly once, whatever happens to it.

#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod lifecycle_support;

use std::time::Duration;

use lifecycle_support::Made;
use serde_json::{Value, json};
use tinyagents::runtime::{
    Dispatcher, RunLimits, RunPolicy, StopReason, ToolRegistry, UnknownToolPolicy,
};
use tinyagents::tinytools::{
    Injected, InjectionError, ToolContent, ToolError, ToolExposure, ToolPolicy, ToolResult,
};
use tinyagents::{AgentEvent, Batch, EventLog, RunContext, TinyAgentsError, ToolCall};

fn dispatcher(tools: impl IntoIterator<Item = Made>) -> Dispatcher {
    let mut registry = ToolRegistry::new();
    for tool in tools {
        registry.register(tool).unwrap();
    }
    Dispatcher::new(registry)
}

async fn dispatch(dispatcher: &Dispatcher, ctx: &RunContext, calls: Vec<ToolCall>) -> Batch {
    let batch = dispatcher.dispatch(&(), ctx, calls).await.unwrap();
    let ids: Vec<&str> = batch.calls.iter().map(|call| call.id.as_str()).collect();
    let rows: Vec<&str> = batch
        .messages
        .iter()
        .map(|row| row.call_id.as_str())
        .collect();
    if batch.deferred.is_none() {
        assert_eq!(ids, rows, "one row per call, in call order");
    }
    batch
}

fn call(id: &str, name: &str) -> ToolCall {
    ToolCall::new(id, name, json!({}))
}

fn add() -> Made {
    Made::new("add", |args| async move {
        let sum = args["a"].as_i64().unwrap() + args["b"].as_i64().unwrap();
        Ok(ToolResult::success(sum.to_string()))
    })
    .schema(json!({
        "type": "object",
        "properties": { "a": { "type": "integer" }, "b": { "type": "integer" }, "note": { "type": "string" } },
        "required": ["a", "b"],
        "additionalProperties": false
    }))
}

#[tokio::test]
async fn a_right_call_is_answered() {
    let dispatcher = dispatcher([add()]);
    let calls = vec![ToolCall::from_text("c1", "add", r#"{"a":1,"b":2}"#)];
    let batch = dispatch(&dispatcher, &RunContext::new(), calls).await;
    assert_eq!(batch.messages[0].content, "3");
    assert_eq!(batch.messages[0].tool_name, "add");
    assert!(!batch.messages[0].is_error);
    assert_eq!(batch.executed_tools, ["add"]);
}

#[tokio::test]
async fn an_empty_id_gets_one_and_a_repeated_one_is_not_run() {
    let tool = Made::echo("echo");
    let dispatcher = dispatcher([tool.clone()]);
    let calls = vec![call("", "echo"), call("x", "echo"), call("x", "echo")];
    let batch = dispatch(&dispatcher, &RunContext::new(), calls).await;
    assert_eq!(batch.calls[0].id.len(), 9);
    assert_ne!(batch.calls[2].id, "x");
    assert!(batch.messages[2].is_error);
    assert_eq!(tool.runs(), 2);
}

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
    let text = &batch.messages[0].content;
    assert!(
        text.contains("\n- a: ") && text.contains("`b`") || text.contains("\n- b: "),
        "{text}"
    );
    assert!(text.contains('c'), "{text}");
    assert!(text.contains("\nschema: {"), "{text}");
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
async fn a_panic_is_one_failed_call_and_its_text_stays_with_the_host() {
    let log = EventLog::new();
    let ctx = RunContext::new().with_events(log.clone());
    let bad = Made::new("bad", |_| async { panic!("secret internals") }).concurrent();
    let dispatcher = dispatcher([bad, Made::echo("good").concurrent()]);
    let calls = vec![call("c1", "good"), call("c2", "bad"), call("c3", "good")];
    let batch = dispatch(&dispatcher, &ctx, calls).await;
    let errors: Vec<bool> = batch.messages.iter().map(|row| row.is_error).collect();
    assert_eq!(errors, [false, true, false]);
    assert!(!batch.messages[1].content.contains("secret internals"));
    assert!(format!("{:?}", log.events()).contains("secret internals"));
}

#[tokio::test]
async fn each_call_has_one_terminal_event_after_its_start() {
    let log = EventLog::new();
    let ctx = RunContext::new().with_events(log.clone());
    let failing = Made::new("failing", |_| async { anyhow::bail!("no") });
    let dispatcher = dispatcher([Made::echo("echo"), failing]);
    let calls = vec![
        call("c1", "echo"),
        call("c2", "failing"),
        call("c3", "missing"),
    ];
    dispatch(&dispatcher, &ctx, calls).await;
    for id in ["c1", "c2", "c3"] {
        let kinds: Vec<&str> = log
            .events()
            .iter()
            .filter_map(|event| match event {
                AgentEvent::ToolStarted { call_id, .. } if call_id == id => Some("started"),
                AgentEvent::ToolCompleted { call_id, .. } if call_id == id => Some("ended"),
                AgentEvent::ToolFailed { call_id, .. } if call_id == id => Some("ended"),
                _ => None,
            })
            .collect();
        assert_eq!(kinds, ["started", "ended"], "{id}");
    }
}

#[tokio::test]
async fn calls_past_a_limit_are_answered_not_run() {
    let tool = Made::echo("echo").concurrent();
    let policy = RunPolicy {
        limits: RunLimits {
            max_tool_calls: 2,
            ..RunLimits::default()
        },
        ..RunPolicy::default()
    };
    let dispatcher = dispatcher([tool.clone()]).with_policy(policy);
    let calls = vec![call("a", "echo"), call("b", "missing"), call("c", "echo")];
    let batch = dispatch(&dispatcher, &RunContext::new(), calls).await;
    assert_eq!(batch.messages[2].content, "not run: limit");
    assert!(matches!(batch.stop, Some(StopReason::Limit(_))));
    assert_eq!(tool.runs(), 1);
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
async fn error_text_is_the_display_chain_without_redacted_values() {
    let mut policy = ToolPolicy::read_only();
    policy.access.redact = vec!["password".into()];
    let login = Made::new("login", |args| async move {
        let inner = anyhow::anyhow!(
            "bad password {}",
            args["password"].as_str().unwrap_or_default()
        );
        Err(inner.context("login failed"))
    })
    .policy(policy);
    let calls = vec![ToolCall::new(
        "a",
        "login",
        json!({ "password": "hunter2" }),
    )];
    let batch = dispatch(&dispatcher([login]), &RunContext::new(), calls).await;
    assert_eq!(
        batch.messages[0].content,
        "login failed: bad password [redacted]"
    );
}

#[tokio::test]
async fn an_injection_error_does_not_reach_the_model() {
    let tool = Made::new("needs", |_| async {
        let injected = Injected::of::<u64>("tenant");
        Err(InjectionError::new("needs", &injected).into())
    });
    let batch = dispatch(
        &dispatcher([tool]),
        &RunContext::new(),
        vec![call("a", "needs")],
    )
    .await;
    let text = &batch.messages[0].content;
    assert!(!text.contains("tenant") && !text.contains("u64"), "{text}");
}

#[tokio::test]
async fn a_fatal_failure_stops_after_the_siblings_have_settled() {
    let fatal = Made::new("fatal", |_| async {
        Err(ToolError::fatal(anyhow::anyhow!("disk gone")).into())
    });
    let echo = Made::echo("echo");
    let dispatcher = dispatcher([fatal.concurrent(), echo.clone().concurrent()]);
    let calls = vec![call("a", "fatal"), call("b", "echo")];
    let batch = dispatch(&dispatcher, &RunContext::new(), calls).await;
    assert_eq!(batch.stop, Some(StopReason::Fatal("disk gone".into())));
    assert_eq!(echo.runs(), 1);
}

#[tokio::test]
async fn follow_ups_become_one_user_message_and_metadata_stays_out_of_it() {
    let tool = Made::new("look", |args: Value| async move {
        let text = args["n"].to_string();
        let follow = ToolContent::text(text);
        Ok(ToolResult::success("seen")
            .with_follow_up(follow)
            .with_metadata(json!({ "cost": 1 })))
    })
    .concurrent();
    let calls = (1..=2)
        .map(|n| ToolCall::new(format!("c{n}"), "look", json!({ "n": n })))
        .collect();
    let batch = dispatch(&dispatcher([tool]), &RunContext::new(), calls).await;
    assert_eq!(batch.follow_up.len(), 1);
    assert_eq!(batch.follow_up[0].text(), "1\n2");
    assert_eq!(batch.metadata.len(), 2);
    assert!(!format!("{:?}{:?}", batch.messages, batch.follow_up).contains("cost"));
}

#[tokio::test]
async fn the_same_failure_over_and_over_stops_the_run() {
    let failing = Made::new("failing", |_| async { anyhow::bail!("no") });
    let dispatcher = dispatcher([failing]);
    let ctx = RunContext::new();
    for turn in 1..=5 {
        let batch = dispatch(
            &dispatcher,
            &ctx,
            vec![call(&format!("c{turn}"), "failing")],
        )
        .await;
        assert_eq!(batch.stop.is_some(), turn == 5, "turn {turn}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_stays_too_long_is_stopped_and_an_effect_is_admitted() {
    let mut policy = ToolPolicy::classified();
    policy.runtime.timeout_ms = Some(50);
    let slow = Made::new("slow", |_| async {
        tokio::time::sleep(Duration::from_mins(1)).await;
        Ok(ToolResult::success("late"))
    })
    .policy(policy);
    let batch = dispatch(
        &dispatcher([slow]),
        &RunContext::new(),
        vec![call("a", "slow")],
    )
    .await;
    let text = &batch.messages[0].content;
    assert!(
        text.contains("timed out after 50 ms") && text.contains("may have happened"),
        "{text}"
    );
}
