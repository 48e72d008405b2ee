//! Every call is answered exactly once, whatever happens to it.

#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod lifecycle_support;

use std::time::Duration;

use lifecycle_support::{Made, add, call, dispatch, dispatcher};
use serde_json::{Value, json};
use tinyagents::runtime::StopReason;
use tinyagents::tinytools::{
    Injected, InjectionError, ToolContent, ToolError, ToolPolicy, ToolResult,
};
use tinyagents::{AgentEvent, EventLog, RunContext, ToolCall};

#[tokio::test]
async fn a_right_call_is_answered() {
    let dispatcher = dispatcher([add()]);
    let calls = vec![ToolCall::from_text("c1", "add", r#"{"a":1,"b":2}"#)];
    let batch = dispatch(&dispatcher, &RunContext::new(), calls).await;
    assert_eq!(batch.messages[0].content, "3");
    assert_eq!(batch.messages[0].tool_name, "add");
    assert!(!batch.messages[0].is_error);
    assert_eq!(
        batch
            .executed_tools
            .iter()
            .map(AsRef::as_ref)
            .collect::<Vec<&str>>(),
        ["add"]
    );
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
async fn an_id_that_a_provider_repeats_in_a_later_turn_is_kept_and_its_call_runs() {
    let tool = Made::echo("echo");
    let dispatcher = dispatcher([tool.clone()]);
    let ctx = RunContext::new();
    for _ in 0..2 {
        let batch = dispatch(&dispatcher, &ctx, vec![call("call_0", "echo")]).await;
        assert_eq!(batch.calls[0].id, "call_0");
        assert!(!batch.messages[0].is_error);
    }
    assert_eq!(tool.runs(), 2);
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

#[tokio::test]
async fn blocks_beside_a_row_are_what_its_text_cannot_say() {
    let mut policy = ToolPolicy::read_only();
    policy.runtime.max_result_bytes = Some(60);
    let long = Made::new("long", |args: Value| async move {
        let mut result = ToolResult::success("x".repeat(500))
            .with_content(ToolContent::json(json!({ "text": "y".repeat(500) })));
        if args["picture"] == true {
            result = result.with_content(ToolContent::image_url("https://x.test/a.png"));
        }
        Ok(result)
    })
    .policy(policy);
    let calls = vec![
        call("a", "long"),
        ToolCall::new("b", "long", json!({ "picture": true })),
    ];
    let batch = dispatch(&dispatcher([long]), &RunContext::new(), calls).await;
    for row in &batch.messages {
        assert!(row.content.len() <= 60, "{}", row.content);
        assert!(row.content.contains(" bytes]"), "{}", row.content);
    }
    assert!(batch.messages[0].blocks.is_empty());
    assert_eq!(
        batch.messages[1].blocks,
        [ToolContent::image_url("https://x.test/a.png")]
    );
}

#[tokio::test]
async fn a_redacted_value_does_not_get_out_by_being_short_or_escaped() {
    let mut policy = ToolPolicy::read_only();
    policy.access.redact = vec!["pin".into(), "password".into()];
    let login = Made::new("login", |args| async move {
        anyhow::bail!("pin {} and {:?}", args["pin"], args["password"].as_str())
    })
    .policy(policy);
    let secret = json!({ "pin": 7, "password": "a\"b\n" });
    let calls = vec![ToolCall::new("a", "login", secret)];
    let batch = dispatch(&dispatcher([login]), &RunContext::new(), calls).await;
    assert_eq!(
        batch.messages[0].content,
        "pin [redacted] and Some(\"[redacted]\")"
    );
}
