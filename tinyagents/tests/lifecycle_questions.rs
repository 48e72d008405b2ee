//! What a tool is asked about one call before it runs, and what it may ask in turn.

#![allow(missing_docs, clippy::unwrap_used)]

mod lifecycle_support;

use std::sync::Arc;

use lifecycle_support::{add, call, dispatch};
use serde_json::{Value, json};
use tinyagents::effects::{MemoryLedger, ToolEffectLedger as _};
use tinyagents::runtime::{Dispatcher, ToolRegistry};
use tinyagents::tinytools::{
    Tool, ToolCallOptions, ToolPolicy, ToolResult, ToolRunContext, ToolTimeout, async_trait,
};
use tinyagents::{RunContext, ToolCall};

/// What panics when the tool is asked about a call.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Question {
    Concurrency,
    Timeout,
    Key,
}

struct Panics(Question);

impl Panics {
    fn asked(&self, question: Question) {
        assert_ne!(self.0, question, "secret internals");
    }
}

#[async_trait]
impl Tool for Panics {
    fn name(&self) -> &'static str {
        "panics"
    }

    fn description(&self) -> &'static str {
        "Panics when it is asked."
    }

    fn parameters_schema(&self) -> Value {
        json!({ "type": "object" })
    }

    fn is_concurrency_safe(&self, _: &Value) -> bool {
        self.asked(Question::Concurrency);
        true
    }

    fn timeout_policy(&self, _: &Value) -> ToolTimeout {
        self.asked(Question::Timeout);
        ToolTimeout::Inherit
    }

    fn idempotency_key(&self, _: &Value) -> Option<String> {
        self.asked(Question::Key);
        None
    }

    async fn execute(&self, _: Value) -> anyhow::Result<ToolResult> {
        unreachable!("a tool that can't be asked doesn't run")
    }
}

#[tokio::test]
async fn a_tool_that_panics_when_it_is_asked_about_a_call_is_one_failed_call() {
    for question in [Question::Concurrency, Question::Timeout, Question::Key] {
        let mut registry = ToolRegistry::new();
        registry.register(Panics(question)).unwrap();
        registry.register(add()).unwrap();
        let calls = vec![
            call("c1", "panics"),
            ToolCall::new("c2", "add", json!({ "a": 1, "b": 2 })),
        ];
        let batch = dispatch(&Dispatcher::new(registry), &RunContext::new(), calls).await;
        assert_eq!(
            batch.messages[0].content, "`panics` failed unexpectedly and did not run",
            "{question:?}"
        );
        assert_eq!(batch.messages[1].content, "3", "{question:?}");
        assert_eq!(
            batch
                .executed_tools
                .iter()
                .map(AsRef::as_ref)
                .collect::<Vec<&str>>(),
            ["add"],
            "{question:?}"
        );
    }
}

/// Tells the key it is given.
struct Keyed(ToolPolicy);

#[async_trait]
impl Tool for Keyed {
    fn name(&self) -> &'static str {
        "keyed"
    }

    fn description(&self) -> &'static str {
        "Tells its key."
    }

    fn parameters_schema(&self) -> Value {
        json!({ "type": "object" })
    }

    fn policy(&self) -> ToolPolicy {
        self.0.clone()
    }

    fn idempotency_key(&self, args: &Value) -> Option<String> {
        args["own"].as_str().map(str::to_owned)
    }

    async fn execute(&self, _: Value) -> anyhow::Result<ToolResult> {
        anyhow::bail!("needs a context")
    }

    async fn execute_with_context(
        &self,
        _: Value,
        _: ToolCallOptions,
        ctx: Option<&dyn ToolRunContext>,
    ) -> anyhow::Result<ToolResult> {
        let key = ctx.and_then(ToolRunContext::idempotency_key);
        Ok(ToolResult::success(key.unwrap_or("none")))
    }
}

#[tokio::test]
async fn an_idempotency_key_tells_calls_apart_whose_ids_a_provider_repeats() {
    let mut registry = ToolRegistry::new();
    registry.register(Keyed(ToolPolicy::classified())).unwrap();
    let dispatcher = Dispatcher::new(registry);
    let key = async |run: &str, id: &str, arguments: Value| {
        let ctx = RunContext::new().with_run_id(run);
        let calls = vec![ToolCall::new(id, "keyed", arguments)];
        let batch = dispatch(&dispatcher, &ctx, calls).await;
        batch.messages[0].content.clone()
    };
    let first = key("r1", "c1", json!({ "to": "ada", "sum": 5 })).await;
    assert_eq!(first.len(), 64);
    assert_eq!(
        first,
        key("r1", "c1", json!({ "sum": 5.0, "to": "ada" })).await
    );
    assert_ne!(
        first,
        key("r1", "c1", json!({ "to": "bob", "sum": 5 })).await
    );
    assert_ne!(
        first,
        key("r1", "c2", json!({ "to": "ada", "sum": 5 })).await
    );
    assert_ne!(
        first,
        key("r2", "c1", json!({ "to": "ada", "sum": 5 })).await
    );
    assert_eq!(key("r1", "c1", json!({ "own": "k" })).await, "k");
}

#[tokio::test]
async fn a_tool_that_only_reads_can_read_its_key_with_a_ledger_and_without() {
    let mut registry = ToolRegistry::new();
    registry.register(Keyed(ToolPolicy::read_only())).unwrap();
    let dispatcher = Dispatcher::new(registry);
    let ledger = Arc::new(MemoryLedger::new());
    let ctx = RunContext::new().with_run_id("r1");
    let tracked = ctx.clone().with_tool_effect_ledger(ledger.clone());
    let calls = || vec![ToolCall::new("c1", "keyed", json!({ "to": "ada" }))];
    let key = dispatch(&dispatcher, &ctx, calls()).await;
    let key = &key.messages[0].content;
    assert_eq!(key.len(), 64);
    // It is in no ledger all the same, and runs as often as it likes.
    for _ in 0..2 {
        let batch = dispatch(&dispatcher, &tracked, calls()).await;
        assert_eq!(batch.messages[0].content, *key);
        assert_eq!(batch.executed_tools.len(), 1);
    }
    assert!(ledger.of_call("r1", "c1").await.unwrap().is_empty());
}
