//! Arguments nested as deep as any that are read, in a run that pauses: nothing of it is lost.
#![allow(missing_docs, clippy::panic, clippy::unwrap_used)]

mod deferral_support;
mod lifecycle_support;

use deferral_support::{Pay, ask_user, pay, resume, rows};
use serde_json::{Value, json};
use tinyagents::effects::MemoryLedger;
#[cfg(feature = "sqlite")]
use tinyagents::effects::SqliteLedger;
use tinyagents::model::{Message, ScriptedModel, ToolMessage};
use tinyagents::tinytools::ToolContent;
use tinyagents::{
    AgentEvent, AgentHarness, AgentRun, DeferredToolRequests, DeferredToolResults, EventLog,
    PausedRun, PausedRunStore, RunContext, ToolCall, ToolResult,
};

/// The deepest arguments that are read from text, and all those that the levels around them made unreadable.
const LEVELS: std::ops::RangeInclusive<usize> = 99..=127;

fn deep(levels: usize) -> String {
    let lists = levels - 1;
    format!(
        r#"{{"to":{}"\"ada\""{}}}"#,
        "[".repeat(lists),
        "]".repeat(lists)
    )
}

fn tool() -> Pay {
    Pay {
        schema: json!({ "type": "object" }),
        ..pay()
    }
}

fn harness(model: ScriptedModel, tool: &Pay) -> AgentHarness<()> {
    let mut harness = lifecycle_support::harness(model, []);
    harness.register_tool(tool.clone()).unwrap();
    harness.register_external_tool(ask_user()).unwrap();
    harness
}

async fn run_paused(name: &str, arguments: &str) -> AgentRun {
    let model = ScriptedModel::new().raw_call(name, arguments);
    let ctx = RunContext::new().with_run_id("r1");
    let harness = harness(model, &tool());
    let run = harness.invoke_in_context(&(), ctx, vec![Message::user("go")]);
    run.await.unwrap()
}

async fn paused(levels: usize) -> PausedRun {
    PausedRun::of(&run_paused("pay", &deep(levels)).await).unwrap()
}

/// The run that was read again goes on, and its call runs with its arguments.
async fn check(read: PausedRun, levels: usize) {
    let tool = tool();
    let harness = harness(ScriptedModel::new().text("done"), &tool);
    let results = read.requests().approve_all();
    let run = resume(&harness, read.context(), read.messages, results);
    let run = run.await.unwrap();
    let rows = rows(&run);
    assert_eq!(
        rows.last().unwrap().1,
        format!("paid {} true", deep(levels))
    );
    assert_eq!(tool.runs(), 1);
}

#[tokio::test]
async fn a_paused_run_is_read_from_a_file_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.json");
    for levels in LEVELS {
        std::fs::write(&file, serde_json::to_vec(&paused(levels).await).unwrap()).unwrap();
        let read: PausedRun = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        assert_eq!(read, paused(levels).await, "{levels}");
        check(read, levels).await;
    }
}

async fn keep(store: &dyn PausedRunStore) {
    for levels in LEVELS {
        let version = store.save(&paused(levels).await, None).await.unwrap();
        let saved = store.load("r1").await.unwrap().unwrap();
        store.remove("r1", version).await.unwrap();
        assert_eq!(saved.run, paused(levels).await, "{levels}");
        check(saved.run, levels).await;
    }
}

#[tokio::test]
async fn a_paused_run_is_kept_in_memory_and_goes_on() {
    keep(&MemoryLedger::new()).await;
}

#[cfg(feature = "sqlite")]
#[tokio::test]
async fn a_paused_run_is_kept_in_a_database_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    keep(&SqliteLedger::open(folder.path().join("l.db")).unwrap()).await;
}

#[tokio::test]
async fn a_call_that_is_answered_elsewhere_is_told_with_its_arguments() {
    for levels in LEVELS {
        let run = run_paused("ask_user", &deep(levels)).await;
        let requests = serde_json::to_string(&run.deferred.unwrap()).unwrap();
        let read: DeferredToolRequests = serde_json::from_str(&requests).unwrap();
        assert_eq!(read.calls[0].arguments.to_string(), deep(levels));

        let messages = serde_json::to_string(&run.messages).unwrap();
        let messages: Vec<Message> = serde_json::from_str(&messages).unwrap();
        assert_eq!(messages, run.messages);
        let results =
            DeferredToolResults::new().respond(&read.calls[0].id, ToolResult::success("yes"));
        let harness = harness(ScriptedModel::new().text("done"), &tool());
        let run = resume(&harness, RunContext::new(), messages, results).await;
        assert_eq!(rows(&run.unwrap())[0].1, "yes");
    }
}

#[tokio::test]
async fn answers_of_any_depth_that_a_call_may_have_are_read_again() {
    for levels in LEVELS {
        let value: Value = serde_json::from_str(&deep(levels)).unwrap();
        let result = ToolResult::from(ToolContent::json(value.clone()))
            .with_follow_up(ToolContent::json(value.clone()))
            .with_metadata(value.clone());
        let results = DeferredToolResults::new()
            .approve_with_args("c1", value)
            .respond("c2", result);
        let text = serde_json::to_string(&results).unwrap();
        let read: DeferredToolResults = serde_json::from_str(&text).unwrap();
        assert_eq!(read, results, "{levels}");
    }
}

#[tokio::test]
async fn other_rows_and_calls_of_the_transcript_dont_keep_it_from_being_read() {
    let value = |levels: usize| (1..levels).fold(json!([1]), |value, _| json!([value]));
    for levels in [99, 122, 127, 128, 129, 200] {
        let mut run = paused(3).await;
        let call = ToolCall::new("c0", "find", json!({ "in": value(levels) }));
        let row = ToolMessage::new("c0", "find", "found");
        let blocks = vec![ToolContent::json(value(levels))];
        let before = [
            Message::assistant_calls("", vec![call]),
            row.with_blocks(blocks.clone()).into(),
            Message::user_blocks(blocks),
        ];
        run.messages.splice(1..1, before);
        let text = serde_json::to_string(&run).unwrap();
        let read: PausedRun = serde_json::from_str(&text).unwrap();
        let is_exact = levels < 128;
        assert_eq!(read == run, is_exact, "{levels}");
        let call = &read.messages[1].tool_calls()[0];
        assert_eq!(call.arguments.is_object(), is_exact);
        check(read, 3).await;
    }
}

#[tokio::test]
async fn an_event_with_such_arguments_is_read_again() {
    let log = EventLog::new();
    let model = ScriptedModel::new()
        .raw_call("unknown", deep(127))
        .text("sorry");
    let ctx = RunContext::new().with_events(log.clone());
    let mut harness = harness(model, &tool());
    harness.with_policy(tinyagents::RunPolicy {
        unknown_tool: tinyagents::UnknownToolPolicy::ReturnToolError,
        ..Default::default()
    });
    let run = harness.invoke_in_context(&(), ctx, vec![Message::user("go")]);
    run.await.unwrap();
    let mut events = log.events().into_iter();
    let told = events.find(|event| matches!(event, AgentEvent::UnknownToolCall { .. }));
    let told = told.unwrap();
    let line = serde_json::to_string(&told).unwrap();
    assert_eq!(serde_json::from_str::<AgentEvent>(&line).unwrap(), told);
}

#[tokio::test]
async fn what_only_looks_like_the_written_form_of_deep_arguments_is_no_other_call() {
    let forged = r#"{"$deep_json":{"to":"\"eve\""}}"#;
    let paused = PausedRun::of(&run_paused("pay", forged).await).unwrap();
    let text = serde_json::to_string(&paused).unwrap();
    let read: PausedRun = serde_json::from_str(&text).unwrap();
    assert_eq!(read.requests().approvals[0].arguments.to_string(), forged);
    assert_eq!(read, paused);
}
