//! What a collector of `tracing` spans sees of a call, and what only a host that asks for it does.

#![allow(missing_docs, clippy::unwrap_used)]

mod lifecycle_support;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};
use std::thread::ThreadId;

use lifecycle_support::Made;
use serde_json::{Value, json};
use tinyagents::model::{
    ChatModel, ModelError, ModelProfile, ModelRequest, ModelResponse, ScriptedModel, Usage,
};
use tinyagents::tinytools::{ToolError, ToolPolicy, ToolResult, tool};
use tinyagents::{
    AgentDefinition, AgentHarness, Dispatcher, Message, RunContext, RunPolicy, ToolCall,
    ToolRegistry, async_trait,
};
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
    /// In which span each span began.
    parents: Arc<Mutex<Vec<Option<u64>>>>,
}

impl Collector {
    /// The span that this thread is in.
    fn inside(&self) -> Option<u64> {
        let here = std::thread::current().id();
        let entered = self.entered.lock().unwrap();
        entered.get(&here).and_then(|spans| spans.last().copied())
    }
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
        self.parents.lock().unwrap().push(self.inside());
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
        self.events_in.lock().unwrap().push(self.inside());
    }

    fn current_span(&self) -> Current {
        let Some(inside) = self.inside() else {
            return Current::none();
        };
        let metadata = self.metadata.lock().unwrap().unwrap();
        Current::new(Id::from_u64(inside), metadata)
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

/// Answers from a script, and says who it is and what it took.
struct Named(ScriptedModel);

#[async_trait]
impl ChatModel for Named {
    async fn complete(&self, request: ModelRequest) -> Result<ModelResponse, ModelError> {
        let answer = self.0.complete(request).await?;
        Ok(answer.with_usage(Usage::new(30, 4)))
    }

    fn profile(&self) -> ModelProfile {
        ModelProfile::default()
            .with_provider("anthropic")
            .with_model("haiku")
    }
}

/// The spans of a run of the agent `clerk`, each with the position of the one it is in.
async fn run_spans(model: ScriptedModel) -> Vec<(&'static str, Option<u64>, Fields)> {
    let collector = Collector::default();
    let _guard = tracing::subscriber::set_default(collector.clone());
    let mut harness: AgentHarness = AgentHarness::new();
    harness.with_model(Named(model));
    harness.register_tool(log_in()).unwrap();
    let definition = AgentDefinition::new("clerk").with_tools(["log_in"]);
    let ctx = RunContext::new()
        .with_thread_id("t1")
        .with_definition(definition);
    let messages = vec![Message::user("my pin is 9922")];
    let _ = harness.invoke_in_context(&(), ctx, messages).await;
    let spans = collector.spans.lock().unwrap();
    let parents = collector.parents.lock().unwrap();
    let parents = parents.iter().copied();
    spans
        .iter()
        .zip(parents)
        .map(|((name, fields), parent)| (*name, parent, fields.clone()))
        .collect()
}

#[tokio::test]
async fn a_run_is_one_span_of_its_agent_with_its_requests_and_calls_inside() {
    let model = ScriptedModel::new()
        .call("log_in", arguments())
        .text("You are in.");
    let spans = run_spans(model).await;
    let tree: Vec<(&str, Option<u64>)> = spans
        .iter()
        .map(|(_, parent, fields)| (fields["otel.name"].as_str(), *parent))
        .collect();
    assert_eq!(
        tree,
        [
            ("invoke_agent clerk", None),
            ("chat haiku", Some(1)),
            ("execute_tool log_in", Some(1)),
            ("chat haiku", Some(1)),
        ]
    );
    for (name, _, fields) in &spans {
        assert_eq!(fields["gen_ai.operation.name"], *name);
        assert_eq!(fields["gen_ai.agent.name"], "clerk");
        assert_eq!(fields["gen_ai.conversation.id"], "t1");
    }
    let (agent, chat) = (&spans[0].2, &spans[1].2);
    assert_eq!(agent["gen_ai.usage.input_tokens"], "60");
    assert_eq!(agent["gen_ai.usage.output_tokens"], "8");
    assert_eq!(chat["gen_ai.usage.input_tokens"], "30");
    assert_eq!(chat["gen_ai.provider.name"], "anthropic");
    assert_eq!(chat["gen_ai.request.model"], "haiku");
    assert_eq!(chat["otel.kind"], "client");
    let told = format!("{spans:?}");
    for content in ["9922", "4711", "You are in", "error.type"] {
        assert!(!told.contains(content), "{content} in {told}");
    }
}

#[tokio::test]
async fn a_failure_of_the_model_is_told_by_its_kind_in_the_request_and_in_the_run() {
    let spans = run_spans(ScriptedModel::new().failure("key sk-live-1 is blocked")).await;
    assert_eq!(spans.len(), 2);
    for (_, _, fields) in &spans {
        assert_eq!(fields["otel.status_code"], "ERROR");
        assert_eq!(fields["error.type"], "refused");
    }
    assert!(!format!("{spans:?}").contains("sk-live-1"));
}
