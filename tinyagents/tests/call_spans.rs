//! What a collector of `tracing` spans sees of a call, and what only a host that asks for it does.

#![allow(missing_docs, clippy::unwrap_used)]

mod lifecycle_support;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};
use std::thread::ThreadId;

use lifecycle_support::Made;
use serde_json::{Value, json};
use tinyagents::tinytools::{ToolError, ToolPolicy, ToolResult, tool};
use tinyagents::{Dispatcher, RunContext, RunPolicy, ToolCall, ToolRegistry};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};
use tracing_core::span::Current;

type Fields = BTreeMap<&'static str, String>;

/// Collects every span with its fields, and in which span each event was.
#[derive(Clone, Default)]
struct Collector {
    spans: Arc<Mutex<Vec<(&'static str, Fields)>>>,
    entered: Arc<Mutex<HashMap<ThreadId, Vec<u64>>>>,
    metadata: Arc<Mutex<Option<&'static Metadata<'static>>>>,
    events_in: Arc<Mutex<Vec<Option<u64>>>>,
}

struct Reading<'a>(&'a mut Fields);

impl Visit for Reading<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name(), value.to_owned());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        self.0.insert(field.name(), format!("{value:?}"));
    }
}

impl Subscriber for Collector {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("tinyagents") || metadata.target().starts_with("call_spans")
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        let mut fields = Fields::new();
        attributes.record(&mut Reading(&mut fields));
        let mut spans = self.spans.lock().unwrap();
        *self.metadata.lock().unwrap() = Some(attributes.metadata());
        spans.push((attributes.metadata().name(), fields));
        Id::from_u64(spans.len() as u64)
    }

    fn record(&self, id: &Id, values: &Record<'_>) {
        let position = usize::try_from(id.into_u64()).unwrap() - 1;
        values.record(&mut Reading(&mut self.spans.lock().unwrap()[position].1));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {
        let here = std::thread::current().id();
        let entered = self.entered.lock().unwrap();
        let inside = entered.get(&here).and_then(|spans| spans.last().copied());
        self.events_in.lock().unwrap().push(inside);
    }

    fn current_span(&self) -> Current {
        let here = std::thread::current().id();
        let entered = self.entered.lock().unwrap();
        let Some(inside) = entered.get(&here).and_then(|spans| spans.last()) else {
            return Current::none();
        };
        let metadata = self.metadata.lock().unwrap().unwrap();
        Current::new(Id::from_u64(*inside), metadata)
    }

    fn enter(&self, id: &Id) {
        let here = std::thread::current().id();
        let mut entered = self.entered.lock().unwrap();
        entered.entry(here).or_default().push(id.into_u64());
    }

    fn exit(&self, _: &Id) {
        let here = std::thread::current().id();
        let mut entered = self.entered.lock().unwrap();
        entered.entry(here).or_default().pop();
    }
}

async fn spans(policy: RunPolicy, tool: Made, args: Value) -> Vec<(&'static str, Fields)> {
    let collector = Collector::default();
    let _guard = tracing::subscriber::set_default(collector.clone());
    let mut registry = ToolRegistry::new();
    let name = tool.name;
    registry.register(tool).unwrap();
    let dispatcher = Dispatcher::new(registry).with_policy(policy);
    let ctx = RunContext::new().with_thread_id("t1");
    let calls = vec![ToolCall::new("c1", name, args)];
    dispatcher.dispatch(&(), &ctx, calls).await.unwrap();
    let spans = collector.spans.lock().unwrap();
    spans.clone()
}

fn log_in() -> Made {
    let mut policy = ToolPolicy::read_only();
    policy.access.redact = vec!["token".to_owned()];
    Made::new("log_in", |args| async move {
        Ok(ToolResult::success(format!(
            "{} in with {}",
            args["user"], args["token"]
        )))
    })
    .policy(policy)
}

fn arguments() -> Value {
    json!({ "user": "ada", "token": "tok-4711" })
}

#[tokio::test]
async fn a_call_is_one_span_by_the_names_of_the_conventions() {
    let spans = spans(RunPolicy::default(), log_in(), arguments()).await;
    let expected: Fields = [
        ("otel.name", "execute_tool log_in"),
        ("otel.kind", "internal"),
        ("gen_ai.operation.name", "execute_tool"),
        ("gen_ai.conversation.id", "t1"),
        ("gen_ai.tool.name", "log_in"),
        ("gen_ai.tool.type", "function"),
        ("gen_ai.tool.description", "A tool of the tests."),
        ("gen_ai.tool.call.id", "c1"),
    ]
    .map(|(name, value)| (name, value.to_owned()))
    .into();
    assert_eq!(spans, [("execute_tool", expected)]);
}

#[tokio::test]
async fn arguments_and_results_are_told_on_demand_and_redacted_values_never() {
    let told = RunPolicy {
        trace_content: true,
        ..RunPolicy::default()
    };
    let spans = spans(told, log_in(), arguments()).await;
    let fields = &spans[0].1;
    assert_eq!(
        fields["gen_ai.tool.call.arguments"],
        r#"{"user":"ada","token":"[redacted]"}"#
    );
    assert_eq!(
        fields["gen_ai.tool.call.result"],
        r#""ada" in with "[redacted]""#
    );
    assert!(!format!("{spans:?}").contains("4711"));
}

#[tokio::test]
async fn a_failure_is_told_by_its_kind_alone() {
    for (error, class) in [
        (anyhow::anyhow!("db at 10.0.0.7 is down"), "retryable"),
        (
            ToolError::failed("db at 10.0.0.7 is down").into(),
            "repairable",
        ),
        (
            ToolError::fatal(anyhow::anyhow!("db at 10.0.0.7 is down")).into(),
            "hard",
        ),
    ] {
        let error = Mutex::new(Some(error));
        let tool = Made::new("fails", move |_| {
            let error = error.lock().unwrap().take().unwrap();
            async move { Err(error) }
        });
        let spans = spans(RunPolicy::default(), tool, json!({})).await;
        let fields = &spans[0].1;
        assert_eq!(fields["otel.status_code"], "ERROR");
        assert_eq!(fields["error.type"], class);
        assert!(!format!("{spans:?}").contains("10.0.0.7"));
    }
}

/// Log something.
#[tool(read_only, crate = ::tinyagents::tinytools)]
fn chatty() {
    tracing::info!("in the task");
}

/// Log something in a thread.
#[tool(read_only, blocking, crate = ::tinyagents::tinytools)]
fn chatty_thread() {
    tracing::info!("in the thread");
}

#[test]
fn what_a_body_logs_belongs_to_its_call_in_the_task_and_in_a_thread() {
    let collector = Collector::default();
    // For every thread: a blocking body has one of its own.
    tracing::subscriber::with_default(collector.clone(), || {
        let subscriber = collector.clone();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .on_thread_start(move || {
                // Kept for as long as the thread lives.
                std::mem::forget(tracing::subscriber::set_default(subscriber.clone()));
            })
            .build()
            .unwrap();
        let mut registry = ToolRegistry::new();
        registry.register(ChattyTool).unwrap();
        registry.register(ChattyThreadTool).unwrap();
        let dispatcher = Dispatcher::new(registry);
        let calls = vec![
            ToolCall::new("c1", "chatty", json!({})),
            ToolCall::new("c2", "chatty_thread", json!({})),
        ];
        runtime
            .block_on(dispatcher.dispatch(&(), &RunContext::new(), calls))
            .unwrap();
    });
    let spans = collector.spans.lock().unwrap();
    let of = |inside: Option<u64>| {
        let position = usize::try_from(inside.unwrap()).unwrap() - 1;
        spans[position].1["gen_ai.tool.call.id"].clone()
    };
    let events = collector.events_in.lock().unwrap();
    assert_eq!(
        events.iter().map(|inside| of(*inside)).collect::<Vec<_>>(),
        ["c1", "c2"]
    );
}
