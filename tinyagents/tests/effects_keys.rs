//! Calls of one key: which of them runs, and what answers the others.

#![allow(missing_docs, clippy::unwrap_used)]

mod effects_support;
mod lifecycle_support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use effects_support::{looker, only_row, paying, tracked};
use lifecycle_support::{Made, call, dispatch, dispatcher, run, sleeper};
use serde_json::{Value, json};
use tinyagents::runtime::{Dispatcher, StopReason, ToolRegistry};
use tinyagents::tinytools::{Tool, ToolCallOptions, ToolReplay, ToolResult, ToolRunContext};
use tinyagents::{AgentEvent, EventLog, RunContext, ToolCall};

#[tokio::test]
async fn a_call_that_has_been_run_is_answered_with_what_is_recorded() {
    let (ledger, ctx) = tracked();
    let log = EventLog::new();
    let ctx = ctx.with_events(log.clone());
    let tool = looker(&ledger);
    let dispatcher = dispatcher([tool.clone()]);
    for _ in 0..3 {
        let batch = dispatch(&dispatcher, &ctx, vec![call("c1", "pay")]).await;
        assert_eq!(
            (batch.messages[0].content.as_str(), tool.runs()),
            ("paid", 1)
        );
        assert_eq!(batch.messages[0].tool_name, "pay");
    }
    let reconciled = |event: &&AgentEvent| matches!(event, AgentEvent::ToolEffectReconciled { outcome, .. } if outcome == "recorded");
    assert_eq!(log.events().iter().filter(reconciled).count(), 2);
    let ends = |event: &&AgentEvent| matches!(event, AgentEvent::ToolCompleted { .. });
    assert_eq!(log.events().iter().filter(ends).count(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_call_whose_end_is_not_known_is_refused() {
    let (_ledger, ctx) = tracked();
    let tool = sleeper("pay", 1000).policy(paying(ToolReplay::Never));
    let dispatcher = dispatcher([tool.clone()]);
    let running = run(&dispatcher, &ctx, vec![call("c1", "pay")]);
    assert!(
        tokio::time::timeout(Duration::from_millis(10), running)
            .await
            .is_err()
    );
    let batch = dispatch(&dispatcher, &ctx, vec![call("c1", "pay")]).await;
    assert!(batch.messages[0].is_error && batch.messages[0].content.starts_with("not run"));
    assert!(batch.executed_tools.is_empty());
    assert_eq!(tool.runs(), 1);
}

/// A tool with a key of its own.
struct Order(Arc<AtomicUsize>);

#[async_trait]
impl Tool for Order {
    fn name(&self) -> &'static str {
        "order"
    }

    fn description(&self) -> &'static str {
        "Order."
    }

    fn parameters_schema(&self) -> Value {
        json!({ "type": "object" })
    }

    fn idempotency_key(&self, args: &Value) -> Option<String> {
        args["order"].as_str().map(str::to_owned)
    }

    async fn execute(&self, args: Value) -> anyhow::Result<ToolResult> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Ok(ToolResult::success(format!(
            "ordered for {}",
            args["customer"]
        )))
    }
}

#[tokio::test]
async fn a_tools_own_key_counts_across_runs_but_its_answer_stays_in_its_run() {
    let (ledger, ctx) = tracked();
    let runs = Arc::new(AtomicUsize::new(0));
    let mut registry = ToolRegistry::new();
    registry.register(Order(Arc::clone(&runs))).unwrap();
    let dispatcher = Dispatcher::new(registry);
    let order = |id: &str, customer: &str| {
        ToolCall::new(id, "order", json!({ "order": "17", "customer": customer }))
    };
    let first = dispatch(&dispatcher, &ctx, vec![order("c1", "alice")]).await;
    let again = dispatch(&dispatcher, &ctx, vec![order("c2", "alice")]).await;
    assert_eq!(first.messages[0].content, again.messages[0].content);
    assert_eq!(again.messages[0].call_id, "c2");
    let other = RunContext::new()
        .with_run_id("r2")
        .with_tool_effect_ledger(ledger);
    let other = dispatch(&dispatcher, &other, vec![order("c1", "bob")]).await;
    assert!(other.messages[0].is_error);
    assert!(
        !other.messages[0].content.contains("alice"),
        "{:?}",
        other.messages
    );
    assert_eq!(runs.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn two_runs_of_one_call_at_once_run_it_once() {
    let (_ledger, ctx) = tracked();
    let tool = Made::new("pay", |_| async {
        tokio::time::sleep(Duration::from_millis(1)).await;
        Ok(ToolResult::success("paid"))
    })
    .policy(paying(ToolReplay::Never));
    let dispatcher = dispatcher([tool.clone()]);
    let both = [(); 8].map(|()| dispatch(&dispatcher, &ctx, vec![call("c1", "pay")]));
    let batches = futures::future::join_all(both).await;
    assert_eq!(tool.runs(), 1);
    let paid = batches
        .iter()
        .filter(|batch| batch.messages[0].content == "paid");
    assert_eq!(paid.count(), 1);
}

#[tokio::test]
async fn the_key_is_the_same_with_a_ledger_and_without_and_whenever_the_call_is_resumed() {
    struct Keyed;
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
        async fn execute(&self, _: Value) -> anyhow::Result<ToolResult> {
            unreachable!()
        }
        async fn execute_with_context(
            &self,
            _: Value,
            _: ToolCallOptions,
            ctx: Option<&dyn ToolRunContext>,
        ) -> anyhow::Result<ToolResult> {
            let key = ctx.and_then(ToolRunContext::idempotency_key);
            Ok(ToolResult::success(key.unwrap_or_default()))
        }
    }
    let mut registry = ToolRegistry::new();
    registry.register(Keyed).unwrap();
    let dispatcher = Dispatcher::new(registry);
    let (ledger, tracked) = tracked();
    let arguments = |text: &str| ToolCall::from_text("c1", "keyed", text);
    let bare = RunContext::new().with_run_id("r1");
    let first = dispatch(&dispatcher, &bare, vec![arguments(r#"{"a":1,"b":2}"#)]).await;
    let second = dispatch(&dispatcher, &tracked, vec![arguments(r#"{"b":2.0,"a":1}"#)]).await;
    let key = &first.messages[0].content;
    assert_eq!((key.len(), key), (64, &second.messages[0].content));
    assert_eq!(&only_row(&*ledger, "c1").await.key, key);
    assert!(first.stop.is_none() && second.stop != Some(StopReason::Cancelled));
}
