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

use serde_json::{Value, json};
use tinyagents::tinytools::{
    Injected, Tool, ToolCallOptions, ToolExposure, ToolPolicy, ToolResult, ToolRunContext,
    async_trait,
};

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
