//! Tools and calls that mean harm, or carry it: each call still has its one answer, and nothing hidden gets out.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod lifecycle_support;

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use lifecycle_support::Made;
use serde_json::json;
use tinyagents::runtime::{
    AgentHarness, Batch, Dispatcher, InvalidArgsPolicy, RunPolicy, StopReason, ToolRegistry,
};
use tinyagents::tinytools::{ToolAccess, ToolError, ToolPolicy, ToolResult, ToolTimeout};
use tinyagents::{EventLog, RunContext, ScriptedModel, TinyAgentsError, ToolCall};

async fn dispatch(tools: Vec<Made>, calls: Vec<ToolCall>) -> Batch {
    dispatch_under(RunPolicy::default(), RunContext::new(), tools, calls).await
}

async fn dispatch_under(
    policy: RunPolicy,
    ctx: RunContext,
    tools: Vec<Made>,
    calls: Vec<ToolCall>,
) -> Batch {
    let mut registry = ToolRegistry::new();
    for tool in tools {
        registry.register(tool).unwrap();
    }
    let dispatcher = Dispatcher::new(registry).with_policy(policy);
    dispatcher.dispatch(&(), &ctx, calls).await.unwrap()
}

fn call(name: &str) -> ToolCall {
    ToolCall::new(format!("id_{name}"), name, json!({}))
}

/// Waits for ever, and panics when it is dropped.
struct Sulking;

impl Future for Sulking {
    type Output = anyhow::Result<ToolResult>;

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Self::Output> {
        Poll::Pending
    }
}

impl Drop for Sulking {
    fn drop(&mut self) {
        panic!("dropped");
    }
}

#[derive(Debug)]
struct Unspeakable;

impl fmt::Display for Unspeakable {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        panic!("not to be shown");
    }
}

impl std::error::Error for Unspeakable {}

#[tokio::test(start_paused = true)]
async fn a_panic_in_the_drop_or_the_error_of_a_tool_is_that_calls_own() {
    let mut timed = ToolPolicy::read_only();
    timed.runtime.timeout = Some(ToolTimeout::Millis(10));
    let sulking = Made::new("sulking", |_| Sulking).policy(timed);
    let unspeakable = Made::new("unspeakable", |_| async { Err(Unspeakable.into()) });
    let tools = vec![sulking, unspeakable, Made::echo("fine")];
    let batch = dispatch(
        tools,
        vec![call("sulking"), call("unspeakable"), call("fine")],
    )
    .await;
    let rows: Vec<_> = batch.messages.iter().map(|row| row.is_error).collect();
    assert_eq!(rows, [true, true, false]);
    assert!(batch.messages[0].content.contains("timed out after 10 ms"));
    assert_eq!(
        batch.messages[1].content,
        "`unspeakable` failed unexpectedly"
    );
}

/// Panics when it is asked for its cause, or when it is dropped.
#[derive(Debug)]
enum Hostile {
    InSource,
    InDrop,
}

impl fmt::Display for Hostile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("hostile")
    }
}

impl std::error::Error for Hostile {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        assert!(!matches!(self, Self::InSource), "no cause");
        None
    }
}

impl Drop for Hostile {
    fn drop(&mut self) {
        assert!(!matches!(self, Self::InDrop), "dropped");
    }
}

#[tokio::test(start_paused = true)]
async fn a_panic_in_the_error_of_a_tool_that_would_be_tried_again_is_that_calls_own() {
    let mut policy = ToolPolicy::read_only();
    policy.runtime.max_retries = 2;
    let source = Made::new("source", |_| async { Err(Hostile::InSource.into()) });
    let drop = Made::new("drop", |_| async { Err(Hostile::InDrop.into()) });
    let tools = [source, drop].map(|tool| tool.policy(policy.clone()));
    let batch = dispatch(tools.to_vec(), vec![call("source"), call("drop")]).await;
    let rows: Vec<_> = batch.messages.iter().map(|row| &row.content).collect();
    assert_eq!(
        rows,
        ["`source` failed unexpectedly", "`drop` failed unexpectedly"]
    );
    assert_eq!(tools.map(|tool| tool.runs()), [1, 1]);
}

#[tokio::test]
async fn a_run_inside_a_tool_does_not_tell_the_model_what_was_hidden() {
    let missing = || TinyAgentsError::MissingInjection {
        tool: "inner".to_owned(),
        parameter: "ledger_key".to_owned(),
        type_name: "host::LedgerKey".to_owned(),
    };
    let plain = Made::new("plain", move |_| async move { Err(missing().into()) });
    let wrapped = Made::new("wrapped", move |_| async move {
        Err(TinyAgentsError::Other(missing().into()).into())
    });
    let batch = dispatch(vec![plain, wrapped], vec![call("plain"), call("wrapped")]).await;
    for row in &batch.messages {
        assert!(row.is_error);
        assert!(
            !row.content.contains("ledger_key") && !row.content.contains("LedgerKey"),
            "{}",
            row.content
        );
    }
}

#[tokio::test]
async fn a_fatal_failure_of_a_run_inside_a_tool_stops_the_run() {
    let fatal = Made::new("fatal", |_| async {
        let inner = ToolError::fatal(anyhow::anyhow!("no disk"));
        Err(TinyAgentsError::Other(inner.into()).into())
    });
    let batch = dispatch(vec![fatal], vec![call("fatal")]).await;
    assert!(
        matches!(batch.stop, Some(StopReason::Fatal(_))),
        "{:?}",
        batch.stop
    );
}

#[tokio::test]
async fn a_redacted_value_is_not_repeated_by_a_refusal() {
    let policy = ToolPolicy::read_only().with_access(ToolAccess {
        redact: vec!["token".to_owned()],
        ..ToolAccess::default()
    });
    let tool = Made::new("log_in", |args| async move {
        Ok(ToolResult::error(format!("no user for {}", args["token"])))
    })
    .policy(policy);
    let log = EventLog::new();
    let ctx = RunContext::new().with_events(log.clone());
    let calls = vec![ToolCall::new(
        "c1",
        "log_in",
        json!({ "token": "tok-4711" }),
    )];
    let batch = dispatch_under(RunPolicy::default(), ctx, vec![tool], calls).await;
    assert!(
        !batch.messages[0].content.contains("4711"),
        "{}",
        batch.messages[0].content
    );
    assert!(!format!("{:?}", log.events()).contains("4711"));
}

#[tokio::test]
async fn an_empty_schema_is_an_open_object_and_nothing_else() {
    for arguments in [json!("{\"db\":1}"), json!([1]), json!(7)] {
        let tool = Made::echo("open").schema(json!({}));
        let runs = tool.runs.clone();
        let batch = dispatch(
            vec![tool],
            vec![ToolCall::new("c1", "open", arguments.clone())],
        )
        .await;
        assert!(batch.messages[0].is_error, "{arguments}");
        assert_eq!(
            runs.load(std::sync::atomic::Ordering::SeqCst),
            0,
            "{arguments}"
        );
    }
    let tool = Made::echo("open").schema(json!({}));
    let batch = dispatch(
        vec![tool],
        vec![ToolCall::new("c1", "open", json!({ "a": 1 }))],
    )
    .await;
    assert!(!batch.messages[0].is_error);
}

#[tokio::test]
async fn a_key_given_twice_is_refused_inside_a_string_too() {
    let tool = Made::echo("send").schema(json!({
        "type": "object", "properties": { "to": { "type": "string" } }, "required": ["to"]
    }));
    let policy = RunPolicy {
        invalid_args: InvalidArgsPolicy::NormalizeThenReturnToolError,
        ..RunPolicy::default()
    };
    let calls = vec![ToolCall::new(
        "c1",
        "send",
        json!("{\"to\":\"alice\",\"to\":\"bob\"}"),
    )];
    let batch = dispatch_under(policy, RunContext::new(), vec![tool.clone()], calls).await;
    assert!(batch.messages[0].is_error);
    assert_eq!(tool.runs(), 0);
}

#[tokio::test]
async fn calls_that_nobody_looked_at_are_no_repeated_failure() {
    let calls: Vec<_> = (0..10)
        .map(|_| ToolCall::new("same", "echo", json!({})))
        .collect();
    let batch = dispatch(vec![Made::echo("echo")], calls).await;
    assert_eq!(batch.messages.len(), 10);
    assert_eq!(batch.stop, None);
}

#[tokio::test]
async fn a_run_and_a_dispatch_can_be_spawned() {
    let mut harness: AgentHarness<()> = AgentHarness::new();
    harness
        .register_tool(Made::echo("echo").concurrent())
        .unwrap();
    harness.with_model(
        ScriptedModel::new()
            .calls([("echo", json!({})), ("echo", json!({}))])
            .text("done"),
    );
    let run = tokio::spawn(async move { harness.invoke(&(), Vec::new()).await });
    assert_eq!(
        run.await.unwrap().unwrap().final_text.as_deref(),
        Some("done")
    );

    let batch = tokio::spawn(dispatch(vec![Made::echo("echo")], vec![call("echo")]));
    assert!(!batch.await.unwrap().messages[0].is_error);
}
