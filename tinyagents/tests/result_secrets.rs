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
/// In paths of the machine, which are the host's alone.
const PATH: &str = "/home/path-4717/of the/machine.db";
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

fn percent_encoded(text: &str) -> String {
    let encoded = |byte: u8| match byte {
        b'-' | b'.' | b'_' | b'~' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(encoded).collect()
}

/// Where a refusal may hold a value beside its text.
fn refusal(place: &str, secret: &str) -> Option<ToolResult> {
    let block = match place {
        "json" => ToolContent::json(json!({ secret: [secret, { "deep": secret }] })),
        "other" => ToolContent::Other(json!({ "type": "later", "said": secret })),
        "file" => ToolContent::file(secret, *b"x", format!("x/{secret}")),
        "file_text" => ToolContent::file("x", secret, "text/plain"),
        "url" => ToolContent::image_url(format!("https://x/{secret}")),
        "encoded" => ToolContent::image_url(format!("https://x/?q={}", percent_encoded(secret))),
        "artifact" => ToolContent::Artifact {
            uri: format!("x:{secret}"),
            media_type: Some(secret.to_owned()),
            bytes: None,
            description: Some(secret.to_owned()),
        },
        "follow_up" => {
            let block = ToolContent::json(json!([secret]));
            return Some(ToolResult::error("no").with_follow_up(block));
        }
        "metadata" => {
            let metadata = json!({ "of": { secret: secret } });
            return Some(ToolResult::error("no").with_metadata(metadata));
        }
        _ => return None,
    };
    Some(ToolResult::error("no").with_content(block))
}

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
        "path" => Err(anyhow::anyhow!("no such file: {PATH}")),
        "path_context" => Err(anyhow::Error::new(foreign()).context(format!("in \"{PATH}\""))),
        "path_transient" => Err(ToolError::transient(anyhow::anyhow!("{PATH}: busy")).into()),
        "ask" => Err(ToolError::approval_required(json!({})).into()),
        other => Ok(refusal(other, &password)
            .unwrap_or_else(|| ToolResult::success(format!("nothing for {other}")))),
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

const WAYS: [&str; 22] = [
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
    "json",
    "other",
    "file",
    "file_text",
    "url",
    "encoded",
    "artifact",
    "follow_up",
    "metadata",
    "path",
    "path_context",
    "path_transient",
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

fn find_secrets(place: &str, text: &str, is_for_host: bool) {
    let escaped = json!(REDACTED).to_string();
    let encoded = percent_encoded(REDACTED);
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
        &encoded,
    ];
    if !is_for_host {
        secrets.extend([PANIC, "4717", "machine.db"]);
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
            rows.push_str(&serde_json::to_string(&batch.follow_up).unwrap());
            find_secrets("metadata", &format!("{:?}", batch.metadata), false);
            for row in &batch.messages {
                rows.push_str(&serde_json::to_string(row).unwrap());
                rows.push_str(&format!("{row:?}"));
                let blocks: Vec<String> = row.blocks.iter().map(ToolContent::to_string).collect();
                rows.push_str(&blocks.join("\n"));
            }
            let told = format!("{:?}", &log.events()[before..]);
            find_secrets("an event", &told, true);
        }
        let told = format!("{:?}", log.events());
        assert_eq!(told.matches(PATH).count(), 3, "the host reads it in full");
        assert_eq!(rows.matches("call_id: ").count(), calls().len() - 1);
        find_secrets("a row", &rows, false);
        let spans = spans.0.lock().unwrap().clone();
        let ran = WAYS.len() + 1;
        assert_eq!(spans.matches("gen_ai.tool.call.id=").count(), ran);
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
        .filter(|message| message.tool_calls().is_empty())
        .skip(1)
        .map(|message| serde_json::to_string(message).unwrap())
        .collect();
    let (follow_up, end) = (1, 1);
    assert_eq!(read.len(), calls().len() - 2 + follow_up + end);
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
