//! Hand-written tools for the lifecycle tests.

#![allow(
    dead_code,
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    clippy::must_use_candidate
)]

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tinyagents::model::{Message, ScriptedModel, ToolMessage};
use tinyagents::runtime::{AgentHarness, AgentRun, Batch, Dispatcher, ToolRegistry};
use tinyagents::tinytools::{
    Injected, PermissionLevel, Tool, ToolCallOptions, ToolExposure, ToolPolicy, ToolResult,
    ToolRunContext, async_trait,
};
use tinyagents::{RunContext, ToolCall};

type Body =
    dyn Fn(Value) -> Pin<Box<dyn Future<Output = anyhow::Result<ToolResult>> + Send>> + Send + Sync;

/// A tool made of parts, that counts its executions.
#[derive(Clone)]
pub struct Made {
    pub name: &'static str,
    pub schema: Value,
    pub policy: ToolPolicy,
    pub injected: Vec<Injected>,
    pub concurrent: bool,
    pub blocking: bool,
    pub direct: bool,
    pub exposure: ToolExposure,
    /// The privilege of a call; with `null`, the least that any call needs.
    pub permission: fn(&Value) -> PermissionLevel,
    /// Whether a call has an effect outside; with `null`, whether any has.
    pub external: fn(&Value) -> bool,
    pub runs: Arc<AtomicUsize>,
    body: Arc<Body>,
}

impl Made {
    pub fn new<F>(name: &'static str, body: impl Fn(Value) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = anyhow::Result<ToolResult>> + Send + 'static,
    {
        Self {
            name,
            schema: json!({ "type": "object" }),
            policy: ToolPolicy::read_only(),
            injected: Vec::new(),
            concurrent: false,
            blocking: false,
            direct: false,
            exposure: ToolExposure::Direct,
            permission: |_| PermissionLevel::ReadOnly,
            external: |_| false,
            runs: Arc::default(),
            body: Arc::new(move |args| Box::pin(body(args))),
        }
    }

    /// Answers with its arguments.
    pub fn echo(name: &'static str) -> Self {
        Self::new(name, |args| async move {
            Ok(ToolResult::success(args.to_string()))
        })
    }

    pub fn policy(mut self, policy: ToolPolicy) -> Self {
        self.policy = policy;
        self
    }

    pub fn schema(mut self, schema: Value) -> Self {
        self.schema = schema;
        self
    }

    pub fn concurrent(mut self) -> Self {
        self.concurrent = true;
        self
    }

    pub fn runs(&self) -> usize {
        self.runs.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl Tool for Made {
    fn name(&self) -> &str {
        self.name
    }

    fn description(&self) -> &'static str {
        "A tool of the tests."
    }

    fn parameters_schema(&self) -> Value {
        self.schema.clone()
    }

    fn policy(&self) -> ToolPolicy {
        self.policy.clone()
    }

    fn injected(&self) -> Vec<Injected> {
        self.injected.clone()
    }

    fn is_blocking(&self) -> bool {
        self.blocking
    }

    fn exposure(&self) -> ToolExposure {
        self.exposure
    }

    fn permission_level(&self) -> PermissionLevel {
        (self.permission)(&Value::Null)
    }

    fn permission_level_with_args(&self, args: &Value) -> PermissionLevel {
        (self.permission)(args)
    }

    fn external_effect(&self) -> bool {
        (self.external)(&Value::Null)
    }

    fn external_effect_with_args(&self, args: &Value) -> bool {
        (self.external)(args)
    }

    fn return_direct(&self) -> bool {
        self.direct
    }

    fn is_concurrency_safe(&self, _: &Value) -> bool {
        self.concurrent
    }

    async fn execute(&self, args: Value) -> anyhow::Result<ToolResult> {
        self.runs.fetch_add(1, Ordering::SeqCst);
        (self.body)(args).await
    }

    async fn execute_with_context(
        &self,
        args: Value,
        _: ToolCallOptions,
        ctx: Option<&dyn ToolRunContext>,
    ) -> anyhow::Result<ToolResult> {
        assert!(ctx.is_some());
        self.execute(args).await
    }
}

/// A dispatcher for the given tools.
pub fn dispatcher(tools: impl IntoIterator<Item = Made>) -> Dispatcher {
    let mut registry = ToolRegistry::new();
    for tool in tools {
        registry.register(tool).unwrap();
    }
    Dispatcher::new(registry)
}

/// Dispatches, and sees to it that every call has its row.
pub async fn dispatch(dispatcher: &Dispatcher, ctx: &RunContext, calls: Vec<ToolCall>) -> Batch {
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

/// A call without arguments.
pub fn call(id: &str, name: &str) -> ToolCall {
    ToolCall::new(id, name, json!({}))
}

/// Adds two numbers.
pub fn add() -> Made {
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

/// A harness for a model and the given tools.
pub fn harness(model: ScriptedModel, tools: impl IntoIterator<Item = Made>) -> AgentHarness<()> {
    let mut harness = AgentHarness::new();
    harness.with_model(model);
    for tool in tools {
        harness.register_tool(tool).unwrap();
    }
    harness
}

/// Runs it in a context of its own.
pub async fn go(harness: &AgentHarness<()>) -> AgentRun {
    harness
        .invoke(&(), vec![Message::user("go")])
        .await
        .unwrap()
}

/// The first row of a run.
pub fn row(run: &AgentRun) -> &ToolMessage {
    run.messages.iter().find_map(Message::as_tool).unwrap()
}

/// Numbered calls of one tool.
pub fn calls(name: &str, count: usize) -> Vec<ToolCall> {
    (0..count)
        .map(|number| ToolCall::new(format!("c{number}"), name, json!({ "n": number })))
        .collect()
}

/// Sleeps, and answers with its number.
pub fn sleeper(name: &'static str, millis: u64) -> Made {
    Made::new(name, move |args: Value| async move {
        tokio::time::sleep(Duration::from_millis(millis)).await;
        Ok(ToolResult::success(args["n"].to_string()))
    })
}

/// Dispatches without a look at the answers.
pub async fn run(dispatcher: &Dispatcher, ctx: &RunContext, calls: Vec<ToolCall>) -> Batch {
    dispatcher.dispatch(&(), ctx, calls).await.unwrap()
}
