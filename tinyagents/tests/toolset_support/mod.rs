//! Small tools for the tests of toolsets and discovery.

#![allow(
    dead_code,
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    clippy::must_use_candidate
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use tinyagents::toolset::ToolSet;
use tinyagents::{
    Dispatcher, RunContext, Tool, ToolCall, ToolExposure, ToolPolicy, ToolRegistry, ToolResult,
    async_trait,
};

/// Answers with its real name and its arguments; counts how often it is compiled.
#[derive(Clone)]
pub struct Echo {
    pub name: String,
    pub description: String,
    pub schema: Value,
    pub policy: ToolPolicy,
    pub exposure: ToolExposure,
    pub tags: Vec<String>,
    pub compiled: Arc<AtomicUsize>,
    pub runs: Arc<AtomicUsize>,
}

impl Echo {
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            description: "A tool of the tests.".to_owned(),
            schema: json!({ "type": "object" }),
            policy: ToolPolicy::read_only(),
            exposure: ToolExposure::Direct,
            tags: Vec::new(),
            compiled: Arc::default(),
            runs: Arc::default(),
        }
    }

    pub fn deferred(name: impl Into<String>, description: &str) -> Self {
        Self {
            description: description.to_owned(),
            exposure: ToolExposure::Deferred,
            ..Self::new(name)
        }
    }

    pub fn schema(mut self, schema: Value) -> Self {
        self.schema = schema;
        self
    }

    pub fn compiled(&self) -> usize {
        self.compiled.load(Ordering::SeqCst)
    }

    pub fn runs(&self) -> usize {
        self.runs.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl Tool for Echo {
    fn name(&self) -> &str {
        &self.name
    }

    fn description(&self) -> &str {
        &self.description
    }

    fn parameters_schema(&self) -> Value {
        self.compiled.fetch_add(1, Ordering::SeqCst);
        self.schema.clone()
    }

    fn policy(&self) -> ToolPolicy {
        self.policy.clone()
    }

    fn exposure(&self) -> ToolExposure {
        self.exposure
    }

    fn tags(&self) -> Vec<String> {
        self.tags.clone()
    }

    async fn execute(&self, args: Value) -> anyhow::Result<ToolResult> {
        self.runs.fetch_add(1, Ordering::SeqCst);
        Ok(ToolResult::success(format!("{} {args}", self.name)))
    }
}

/// A registry of these tools.
pub fn registry(tools: impl IntoIterator<Item = Echo>) -> ToolRegistry {
    let mut registry = ToolRegistry::new();
    for tool in tools {
        registry.register(tool).unwrap();
    }
    registry
}

/// A set of plain tools of these names.
pub fn set(names: &[&str]) -> ToolRegistry {
    registry(names.iter().map(|name| Echo::new(*name)))
}

/// The names that a set shows.
pub async fn names(set: &dyn ToolSet) -> Vec<String> {
    let tools = set.tools(&RunContext::new()).await.unwrap();
    tools.iter().map(|tool| tool.name().to_owned()).collect()
}

/// Why a set can't be listed.
pub async fn error(set: &dyn ToolSet) -> String {
    let listed = set.tools(&RunContext::new()).await;
    listed.err().map(|error| error.to_string()).unwrap()
}

/// The row of one call, and whether it is an error.
pub async fn one(dispatcher: &Dispatcher, ctx: &RunContext, call: ToolCall) -> (String, bool) {
    let batch = dispatcher.dispatch(&(), ctx, vec![call]).await.unwrap();
    let row = &batch.messages[0];
    (row.content.clone(), row.is_error)
}

/// A dispatcher with nothing but this set.
pub fn dispatcher(set: impl ToolSet + 'static) -> Dispatcher {
    Dispatcher::new(ToolRegistry::new()).with_toolset(set)
}

/// A call without arguments.
pub fn call(name: &str) -> ToolCall {
    ToolCall::new("c1", name, json!({}))
}
