//! Secrets planted everywhere a failure could pick them up, looked for in everything that a model, an event sink or a
//! collector of spans gets from a host that has asked for no contents.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::panic,
    clippy::format_push_string,
    clippy::needless_pass_by_value
)]

use std::fmt;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tinyagents::tinytools::{ToolContent, ToolError, ToolResult, tool};
use tinyagents::{
    AgentHarness, Dispatcher, EventLog, JsonLines, MemoryArtifactStore, Message, RunContext,
    RunPolicy, ScriptedModel, ToolCall, ToolRegistry,
};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::DefaultGuard;
use tracing::{Event, Metadata, Subscriber};

/// In a hidden value.
const HIDDEN: &str = "hidden-4711";
/// In a redacted argument.
const REDACTED: &str = "redacted-\"4712\"\n";
/// In what `Debug` of a foreign error says.
const DEBUG: &str = "debug-4713";
/// In a value that the model forges for a hidden parameter.
const FORGED: &str = "forged-4714";
/// In the payload of a panic, which is the host's alone.
const PANIC: &str = "panic-4715";
/// In a result that is not in its declared form.
const BROKEN: &str = "broken-4716";

struct Credentials {
    key: &'static str,
}

/// An error whose `Debug` says more than its `Display`.
struct Foreign(String);

impl fmt::Debug for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Foreign({} {DEBUG})", self.0)
    }
}

impl fmt::Display for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the other side said no")
    }
}

impl std::error::Error for Foreign {}

#[derive(tinyagents::serde::Serialize, tinyagents::schemars::JsonSchema)]
#[serde(crate = "tinyagents::serde")]
#[schemars(crate = "tinyagents::schemars")]
struct Answer {
    #[schemars(length(max = 3))]
    short: String,
}

/// Fail in the way asked for.
#[tool(classified, redact("password"), crate = ::tinyagents::tinytools)]
fn leak(
    #[hidden] credentials: &Credentials,
    way: String,
    #[arg(max_length = 30)] password: String,
) -> anyhow::Result<ToolResult> {
    let foreign = || Foreign(credentials.key.to_owned());
    match way.as_str() {
        "foreign" => Err(foreign().into()),
        "context" => Err(anyhow::Error::new(foreign()).context("while asking")),
        "transient" => Err(ToolError::transient(foreign()).into()),
        "echo" => Err(ToolError::failed(format!("{password} is wrong, or {password:?}")).into()),
        "retry" => Err(ToolError::retry(format!("not {}", json!(password))).into()),
        "refuse" => Ok(ToolResult::error(format!("no user with {password}"))),
        "fatal" => Err(ToolError::fatal(foreign()).into()),
        "panic" => panic!("{PANIC} {password}"),
        "ask" => Err(ToolError::approval_required(json!({})).into()),
        other => Ok(ToolResult::success(format!("nothing for {other}"))),
    }
}

/// Promise a short answer.
#[tool(read_only, crate = ::tinyagents::tinytools)]
fn promise() -> Answer {
    Answer {
        short: BROKEN.to_owned(),
    }
}

/// Keeps everything it is told, as text.
#[derive(Clone, Default)]
struct Everything(Arc<Mutex<String>>);

impl Visit for Everything {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let mut all = self.0.lock().unwrap();
        all.push_str(&format!("{}={value:?}\n", field.name()));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        let mut all = self.0.lock().unwrap();
        all.push_str(&format!("{}={value}\n", field.name()));
    }
}

impl Subscriber for Everything {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        attributes.record(&mut self.clone());
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, values: &Record<'_>) {
        values.record(&mut self.clone());
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        event.record(&mut self.clone());
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

const WAYS: [&str; 10] = [
    "foreign",
    "context",
    "transient",
    "echo",
    "retry",
    "refuse",
    "fatal",
    "panic",
    "ask",
    "fine",
];

fn arguments(way: &str) -> Value {
    json!({ "way": way, "password": REDACTED, "credentials": { "key": FORGED } })
}

/// The calls, one by one: a fatal one ends a batch.
fn calls() -> Vec<ToolCall> {
    let mut calls: Vec<ToolCall> = WAYS
        .iter()
        .map(|way| ToolCall::new(format!("c_{way}"), "leak", arguments(way)))
        .collect();
    calls.push(ToolCall::new("c_promise", "promise", json!({})));
    // Refused by the schema: too long, and of another type.
    let long = json!({ "way": "x", "password": format!("{REDACTED}{}", "x".repeat(40)) });
    calls.push(ToolCall::new("c_long", "leak", long));
    let nested = json!({ "way": "x", "password": { REDACTED: [REDACTED] } });
    calls.push(ToolCall::new("c_nested", "leak", nested));
    calls
}

fn find_secrets(place: &str, text: &str, panics_are_told: bool) {
    let escaped = json!(REDACTED).to_string();
    let mut secrets = vec![
        HIDDEN,
        "4712",
        REDACTED,
        &escaped[1..escaped.len() - 1],
        DEBUG,
        FORGED,
        BROKEN,
        "Credentials",
        "ledger",
    ];
    if !panics_are_told {
        secrets.push(PANIC);
    }
    for secret in secrets {
        assert!(!text.contains(secret), "{place} tells `{secret}`:\n{text}");
    }
}

/// A collector for the calling thread. Every test here has one: what a span is worth is asked of the thread that opens
/// it first, and a thread without a collector answers for the others too that it is worth nothing.
fn collector() -> (Everything, DefaultGuard) {
    let spans = Everything::default();
    (spans.clone(), tracing::subscriber::set_default(spans))
}

fn context(log: &EventLog) -> RunContext {
    RunContext::new()
        .provide(Credentials { key: HIDDEN })
        .with_events(log.clone())
        .with_artifact_store(MemoryArtifactStore::new())
}

fn registry() -> ToolRegistry {
    let mut registry = ToolRegistry::new();
    registry.register(LeakTool).unwrap();
    registry.register(PromiseTool).unwrap();
    registry
}

#[tokio::test(start_paused = true)]
async fn no_secret_reaches_a_row_an_event_or_a_span() {
    for trace_content in [false, true] {
        let (spans, _guard) = collector();
        let (log, lines) = (EventLog::new(), Arc::new(JsonLines::new(Vec::new())));
        let ctx = context(&log).with_events(Arc::clone(&lines));
        let dispatcher = Dispatcher::new(registry()).with_policy(RunPolicy {
            trace_content,
            ..RunPolicy::default()
        });
        let mut rows = String::new();
        for call in calls() {
            let before = log.events().len();
            let batch = dispatcher.dispatch(&(), &ctx, vec![call]).await.unwrap();
            for row in &batch.messages {
                rows.push_str(&serde_json::to_string(row).unwrap());
                rows.push_str(&format!("{row:?}"));
                let blocks: Vec<String> = row.blocks.iter().map(ToolContent::to_string).collect();
                rows.push_str(&blocks.join("\n"));
            }
            let told = format!("{:?}", &log.events()[before..]);
            find_secrets("an event", &told, true);
        }
        assert_eq!(rows.matches("call_id: ").count(), calls().len() - 1);
        find_secrets("a row", &rows, false);
        let spans = spans.0.lock().unwrap().clone();
        assert_eq!(spans.matches("gen_ai.tool.call.id=").count(), 11);
        assert_eq!(spans.contains("gen_ai.tool.call.arguments"), trace_content);
        find_secrets("a span", &spans, false);
        drop(ctx);
    }
}

#[tokio::test(start_paused = true)]
async fn no_secret_reaches_the_transcript_or_the_debug_form_of_a_run() {
    let (spans, _guard) = collector();
    let mut model = ScriptedModel::new();
    for call in calls() {
        if call.id != "c_fatal" && call.id != "c_ask" {
            model = model.call(call.name.as_str(), call.arguments);
        }
    }
    let mut harness: AgentHarness<()> = AgentHarness::new();
    harness.with_model(model.text("done"));
    harness.register_tool(LeakTool).unwrap();
    harness.register_tool(PromiseTool).unwrap();
    let log = EventLog::new();
    let ctx = context(&log);
    find_secrets("the context", &format!("{ctx:?}"), false);
    let run = harness
        .invoke_in_context(&(), ctx, vec![Message::user("go")])
        .await
        .unwrap();
    assert_eq!(run.final_text.as_deref(), Some("done"));
    let read: Vec<String> = run
        .messages
        .iter()
        .filter(|message| message.as_tool().is_some())
        .map(|message| serde_json::to_string(message).unwrap())
        .collect();
    assert_eq!(read.len(), calls().len() - 2);
    find_secrets("the transcript", &read.join("\n"), false);
    find_secrets(
        "the run",
        &format!("{:?}{:?}", run.stop, run.tool_metadata),
        false,
    );
    let spans = spans.0.lock().unwrap();
    assert_eq!(
        spans.matches("gen_ai.tool.call.id=").count(),
        calls().len() - 4
    );
    find_secrets("a span", &spans, false);
}
