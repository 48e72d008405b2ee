//! Whole runs: model, tools, and why a run ends.

#![allow(missing_docs, clippy::unwrap_used)]

mod lifecycle_support;

use std::sync::Arc;
use std::time::Duration;

use lifecycle_support::{Made, go, harness, row};
use serde_json::json;
use tinyagents::model::{Message, ScriptedModel, ToolMessage, ToolSchema};
use tinyagents::runtime::{
    AgentHarness, AgentRun, LimitKind, RunLimits, RunPolicy, StopReason, ToolGroup,
    UnknownToolPolicy,
};
use tinyagents::tinytools::{Injected, Tool, ToolError, ToolResult};
use tinyagents::{AgentEvent, EventLog, RunContext, TinyAgentsError};

struct Units {
    _metric: bool,
}

fn weather() -> Made {
    let mut tool = Made::new("weather", |args| async move {
        Ok(ToolResult::success(format!(
            "{}: 4 °C",
            args["city"].as_str().unwrap_or_default()
        )))
    })
    .concurrent()
    .schema(json!({
        "type": "object",
        "properties": { "city": { "type": "string" } },
        "required": ["city"],
        "additionalProperties": false
    }));
    tool.injected = vec![Injected::of::<Units>("units")];
    tool
}

#[tokio::test]
async fn the_run_of_the_specification() {
    let mut harness: AgentHarness<()> = AgentHarness::new();
    harness.with_model(
        ScriptedModel::new()
            .call("weather", json!({ "city": "Oslo" }))
            .calls([
                ("weather", json!({ "city": "Rome" })),
                ("weather", json!({ "city": "Lima" })),
            ])
            .raw_call("weather", r#"{"city":"Oslo"}"#)
            .call("missing", json!({}))
            .text("Four degrees in Oslo."),
    );
    harness.register_tool(weather()).unwrap();
    let more: Vec<Arc<dyn Tool>> = vec![
        Arc::new(Made::echo("search")),
        Arc::new(Made::echo("refund")),
    ];
    harness.register_all(more).unwrap();
    harness
        .register_external_tool(ToolSchema::new(
            "ask_user",
            "Ask.",
            json!({ "type": "object" }),
        ))
        .unwrap();
    harness.with_policy(RunPolicy {
        unknown_tool: UnknownToolPolicy::ReturnToolError,
        ..RunPolicy::default()
    });

    let log = EventLog::new();
    let ctx = RunContext::new()
        .with_thread_id("t1")
        .provide(Units { _metric: true })
        .with_events(log.clone());
    let run: AgentRun = harness
        .invoke_in_context(&(), ctx, vec![Message::user("go")])
        .await
        .unwrap();

    assert_eq!(run.final_text.as_deref(), Some("Four degrees in Oslo."));
    assert_eq!(run.stop, StopReason::Finished);
    let row: &ToolMessage = run.messages.iter().find_map(Message::as_tool).unwrap();
    assert_eq!(row.tool_name, "weather");
    assert_eq!(row.content, "Oslo: 4 °C");
    assert!(!row.is_error && !row.call_id.is_empty());
    assert!(
        run.messages
            .iter()
            .any(|message| message.text().contains("unknown tool `missing`"))
    );
    assert!(log.events().iter().any(
        |event| matches!(event, AgentEvent::UnknownToolCall { recovery, .. } if recovery == "tool_error")
    ));
    assert_eq!(run.executed_tools, ["weather"; 4]);
}

#[tokio::test]
async fn a_missing_hidden_value_is_an_error_before_the_model_is_asked() {
    let harness = harness(ScriptedModel::new().text("never"), [weather()]);
    let error = harness.invoke(&(), vec![]).await.unwrap_err();
    assert!(matches!(&error, TinyAgentsError::MissingInjection { tool, .. } if tool == "weather"));
}

#[tokio::test]
async fn a_failed_run_says_why() {
    let mut harness = harness(
        ScriptedModel::new().call("missing", json!({})),
        [Made::echo("echo")],
    );
    harness.with_policy(RunPolicy {
        unknown_tool: UnknownToolPolicy::Fail,
        ..RunPolicy::default()
    });
    let error = harness
        .invoke(&(), vec![Message::user("go")])
        .await
        .unwrap_err();
    assert!(matches!(&error, TinyAgentsError::ToolNotFound(name) if name == "missing"));
}

#[tokio::test]
async fn limits_stop_the_run_and_its_transcript_is_whole() {
    let model = ScriptedModel::new()
        .calls([
            ("echo", json!({})),
            ("echo", json!({})),
            ("echo", json!({})),
        ])
        .text("never");
    let mut harness = harness(model, [Made::echo("echo")]);
    harness.with_policy(RunPolicy {
        limits: RunLimits {
            max_tool_calls: 2,
            ..RunLimits::default()
        },
        ..RunPolicy::default()
    });
    let run = go(&harness).await;
    assert_eq!(run.stop, StopReason::Limit(LimitKind::ToolCalls(2)));
    let rows: Vec<&str> = run
        .messages
        .iter()
        .filter_map(Message::as_tool)
        .map(|row| row.content.as_str())
        .collect();
    assert_eq!(rows, ["{}", "{}", "not run: limit"]);
}

#[tokio::test]
async fn model_calls_are_limited() {
    let model = ScriptedModel::new()
        .call("echo", json!({}))
        .call("echo", json!({}))
        .text("never");
    let mut harness = harness(model, [Made::echo("echo")]);
    harness.with_policy(RunPolicy {
        limits: RunLimits {
            max_model_calls: 2,
            ..RunLimits::default()
        },
        ..RunPolicy::default()
    });
    let run = go(&harness).await;
    assert_eq!(run.stop, StopReason::Limit(LimitKind::ModelCalls(2)));
    assert_eq!(run.model_calls, 2);
}

#[tokio::test(start_paused = true)]
async fn the_wall_clock_ends_the_run() {
    let slow = Made::new("slow", |_| async {
        tokio::time::sleep(Duration::from_mins(1)).await;
        Ok(ToolResult::success(""))
    });
    let mut harness = harness(ScriptedModel::new().call("slow", json!({})), [slow]);
    harness.with_policy(RunPolicy {
        limits: RunLimits {
            wall_clock: Some(Duration::from_secs(1)),
            ..RunLimits::default()
        },
        ..RunPolicy::default()
    });
    let run = go(&harness).await;
    assert_eq!(run.stop, StopReason::Deadline);
    assert!(run.messages.last().unwrap().as_tool().is_some());
}

#[tokio::test]
async fn a_direct_result_ends_the_run() {
    let mut direct = Made::new("direct", |_| async {
        Ok(ToolResult::success("that is it"))
    });
    direct.direct = true;
    let run = go(&harness(
        ScriptedModel::new().call("direct", json!({})),
        [direct],
    ))
    .await;
    assert_eq!(run.stop, StopReason::ReturnDirect);
    assert_eq!(run.final_text.as_deref(), Some("that is it"));
}

#[tokio::test]
async fn a_deferred_call_pauses_the_run_and_the_paused_message_carries_it() {
    let mut harness = harness(
        ScriptedModel::new().calls([("ask_user", json!({ "q": 1 })), ("echo", json!({}))]),
        [Made::echo("echo")],
    );
    harness
        .register_external_tool(ToolSchema::new(
            "ask_user",
            "Ask.",
            json!({ "type": "object" }),
        ))
        .unwrap();
    let run = go(&harness).await;
    assert_eq!(run.stop, StopReason::Deferred);
    let deferred = run.deferred.unwrap();
    assert_eq!(deferred.calls[0].name, "ask_user");
    assert_eq!(deferred.calls[0].arguments, json!({ "q": 1 }));
    assert_eq!(run.executed_tools, ["echo"]);
    let paused = run.messages.iter().find_map(Message::as_assistant).unwrap();
    assert_eq!(paused.deferred.as_deref(), Some(&deferred));
}

#[tokio::test]
async fn a_fatal_failure_is_a_stop_and_no_error() {
    let fatal = Made::new("fatal", |_| async {
        Err(ToolError::fatal(anyhow::anyhow!("disk gone")).into())
    });
    let run = go(&harness(
        ScriptedModel::new().call("fatal", json!({})),
        [fatal],
    ))
    .await;
    assert_eq!(run.stop, StopReason::Fatal("disk gone".into()));
}

#[tokio::test]
async fn instructions_of_groups_are_part_of_the_system_prompt_once() {
    let mut harness = harness(ScriptedModel::new().text("one").text("two"), []);
    let tools: Vec<Arc<dyn Tool>> = vec![Arc::new(Made::echo("echo"))];
    let group = ToolGroup::new("files", tools).with_instructions("Prefer echo.");
    harness.register_group(group).unwrap();
    let run = harness
        .invoke(&(), vec![Message::system("Be brief."), Message::user("go")])
        .await
        .unwrap();
    assert_eq!(run.messages[0].text(), "Be brief.\n\nPrefer echo.");
    let again = harness.invoke(&(), run.messages).await.unwrap();
    assert_eq!(again.messages[0].text(), "Be brief.\n\nPrefer echo.");
}

#[tokio::test]
async fn arguments_that_are_no_json_are_told_and_the_run_goes_on() {
    let model = ScriptedModel::new()
        .raw_call("weather", r#"{"city":"Os"#)
        .text("Four degrees in Oslo.");
    let harness = harness(model, [weather()]);
    let ctx = RunContext::new().provide(Units { _metric: true });
    let run = harness.invoke_in_context(&(), ctx, vec![]).await.unwrap();
    assert_eq!(run.final_text.as_deref(), Some("Four degrees in Oslo."));
    assert!(row(&run).is_error && row(&run).content.contains("not valid JSON"));
    assert!(run.executed_tools.is_empty());
}

#[tokio::test]
async fn a_failed_run_is_kept_in_the_context_up_to_the_failure() {
    let model = ScriptedModel::new()
        .call("echo", json!({ "q": 1 }))
        .failure("quota");
    let harness = harness(model, [Made::echo("echo")]);
    let ctx = RunContext::new();
    let messages = vec![Message::user("go")];
    let error = harness
        .invoke_in_context(&(), ctx.clone(), messages)
        .await
        .unwrap_err();
    assert!(matches!(error, TinyAgentsError::Model(_)));
    let run = ctx.failed_run().unwrap();
    assert_eq!(run.messages.len(), 3);
    assert_eq!(row(&run).content, r#"{"q":1}"#);
}
