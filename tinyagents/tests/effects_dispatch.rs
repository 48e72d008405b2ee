//! What a dispatched call leaves in the ledger, however it ends.

#![allow(missing_docs, clippy::unwrap_used)]

mod lifecycle_support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use lifecycle_support::{Made, call, calls, dispatch, dispatcher, run, sleeper};
use serde_json::{Value, json};
use tinyagents::effects::{
    LedgerError, LedgerFailure, MemoryLedger, ToolEffect, ToolEffectClaim, ToolEffectLedger,
    ToolEffectSettle, ToolEffectStart, ToolEffectStatus,
};
use tinyagents::runtime::{Dispatcher, StopReason, ToolRegistry};
use tinyagents::tinytools::{
    Tool, ToolCallOptions, ToolContent, ToolError, ToolPolicy, ToolReplay, ToolResult,
    ToolRunContext,
};
use tinyagents::{AgentEvent, EventLog, RunContext, TinyAgentsError, ToolCall};

fn effectful() -> ToolPolicy {
    let mut policy = ToolPolicy::classified();
    policy.side_effects.payment = true;
    policy
}

fn tracked() -> (Arc<MemoryLedger>, RunContext) {
    let ledger = Arc::new(MemoryLedger::new());
    let ctx = RunContext::new().with_run_id("r1");
    (Arc::clone(&ledger), ctx.with_tool_effect_ledger(ledger))
}

async fn only_row(ledger: &dyn ToolEffectLedger, call_id: &str) -> ToolEffect {
    let rows = ledger.of_call("r1", call_id).await.unwrap();
    assert_eq!(rows.len(), 1, "{rows:?}");
    rows.into_iter().next().unwrap()
}

/// A tool that looks into the ledger while it runs.
fn looker(ledger: &Arc<MemoryLedger>) -> Made {
    let ledger = Arc::clone(ledger);
    Made::new("pay", move |args: Value| {
        let ledger = Arc::clone(&ledger);
        async move {
            let open = ledger.unresolved("r1").await?;
            let id = args["id"].as_str().unwrap_or("c1");
            assert!(open.iter().any(|row| row.call_id == *id));
            Ok(ToolResult::success("paid"))
        }
    })
    .policy(effectful())
}

#[tokio::test]
async fn a_row_is_started_while_the_tool_runs_and_completed_with_its_answer_after() {
    let (ledger, ctx) = tracked();
    let dispatcher = dispatcher([looker(&ledger)]);
    let batch = dispatch(&dispatcher, &ctx, vec![call("c1", "pay")]).await;
    assert_eq!(batch.messages[0].content, "paid");
    let row = only_row(&*ledger, "c1").await;
    assert_eq!(row.status, ToolEffectStatus::Completed);
    assert_eq!(row.answer, Some(batch.messages[0].clone().into()));
    assert_eq!((row.attempts, row.replay), (1, ToolReplay::Never));
}

#[tokio::test]
async fn a_tool_that_only_reads_has_no_row_and_any_other_one_has() {
    for (policy, rows) in [
        (ToolPolicy::read_only(), 0),
        (ToolPolicy::default(), 1),
        (ToolPolicy::classified(), 1),
        (effectful(), 1),
    ] {
        let (ledger, ctx) = tracked();
        let tool = Made::echo("tool").policy(policy);
        dispatch(&dispatcher([tool]), &ctx, vec![call("c1", "tool")]).await;
        assert_eq!(ledger.of_call("r1", "c1").await.unwrap().len(), rows);
    }
}

#[tokio::test]
async fn a_call_that_is_not_admitted_has_no_row() {
    let (ledger, ctx) = tracked();
    let schema = json!({ "type": "object", "required": ["n"] });
    let tool = Made::echo("pay").policy(effectful()).schema(schema);
    let calls = vec![call("c1", "pay"), call("c2", "unknown")];
    dispatch(&dispatcher([tool]), &ctx, calls).await;
    for id in ["c1", "c2"] {
        assert!(ledger.of_call("r1", id).await.unwrap().is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn every_end_has_its_status() {
    type Body = fn() -> anyhow::Result<ToolResult>;
    let cases: [(Body, ToolEffectStatus); 5] = [
        (
            || Ok(ToolResult::error("declined")),
            ToolEffectStatus::Failed,
        ),
        (
            || Err(anyhow::anyhow!("no route")),
            ToolEffectStatus::Failed,
        ),
        (
            || Err(ToolError::retry("which card?").into()),
            ToolEffectStatus::Failed,
        ),
        (
            || Ok(ToolResult::success("ok")),
            ToolEffectStatus::Completed,
        ),
        (|| panic!("oh"), ToolEffectStatus::Interrupted),
    ];
    for (body, status) in cases {
        let (ledger, ctx) = tracked();
        let tool = Made::new("pay", move |_| async move { body() }).policy(effectful());
        let batch = dispatch(&dispatcher([tool]), &ctx, vec![call("c1", "pay")]).await;
        let row = only_row(&*ledger, "c1").await;
        assert_eq!(row.status, status);
        assert_eq!(row.answer, Some(batch.messages[0].clone().into()));
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_was_stopped_is_interrupted() {
    let mut limited = effectful();
    limited.runtime.timeout_ms = Some(50);
    for policy in [limited, effectful()] {
        let (ledger, ctx) = tracked();
        let tool = sleeper("pay", 1000).policy(policy);
        let dispatcher = dispatcher([tool]);
        let stop = async {
            tokio::time::sleep(Duration::from_millis(100)).await;
            ctx.cancel();
        };
        let (batch, ()) = tokio::join!(dispatch(&dispatcher, &ctx, vec![call("c1", "pay")]), stop);
        assert!(
            batch.messages[0].content.contains("may have happened"),
            "{:?}",
            batch.messages
        );
        assert_eq!(
            only_row(&*ledger, "c1").await.status,
            ToolEffectStatus::Interrupted
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_dropped_run_leaves_its_call_started() {
    let (ledger, ctx) = tracked();
    let dispatcher = dispatcher([sleeper("pay", 1000).policy(effectful())]);
    let running = run(&dispatcher, &ctx, vec![call("c1", "pay")]);
    let dropped = tokio::time::timeout(Duration::from_millis(10), running).await;
    assert!(dropped.is_err());
    assert_eq!(
        only_row(&*ledger, "c1").await.status,
        ToolEffectStatus::Started
    );
}

#[tokio::test]
async fn a_call_that_leaves_the_loop_gives_its_key_back() {
    let (ledger, ctx) = tracked();
    let tool = Made::new("pay", |_| async {
        Err(ToolError::ApprovalRequired {
            metadata: json!({}),
        }
        .into())
    });
    let dispatcher = dispatcher([tool.policy(effectful())]);
    let batch = dispatch(&dispatcher, &ctx, vec![call("c1", "pay")]).await;
    assert_eq!(batch.deferred.unwrap().approvals.len(), 1);
    assert!(ledger.of_call("r1", "c1").await.unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn attempts_of_one_call_are_one_row() {
    let (ledger, ctx) = tracked();
    let mut policy = effectful();
    policy.runtime.idempotent = true;
    policy.runtime.max_retries = 3;
    let runs = Arc::new(AtomicUsize::new(0));
    let tool = Made::new("pay", move |_| {
        let run = runs.fetch_add(1, Ordering::SeqCst);
        async move {
            if run < 2 {
                anyhow::bail!("no route");
            }
            Ok(ToolResult::success("paid"))
        }
    });
    dispatch(
        &dispatcher([tool.policy(policy)]),
        &ctx,
        vec![call("c1", "pay")],
    )
    .await;
    let row = only_row(&*ledger, "c1").await;
    assert_eq!((row.status, row.attempts), (ToolEffectStatus::Completed, 3));
}

#[tokio::test]
async fn each_call_of_a_concurrent_batch_has_its_own_row() {
    let (ledger, ctx) = tracked();
    let tool = Made::echo("pay").policy(effectful()).concurrent();
    dispatch(&dispatcher([tool]), &ctx, calls("pay", 20)).await;
    for number in 0..20 {
        let row = only_row(&*ledger, &format!("c{number}")).await;
        assert_eq!(
            row.answer.unwrap().row.content,
            json!({ "n": number }).to_string()
        );
    }
}

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
    let tool = sleeper("pay", 1000).policy(effectful());
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
    .policy(effectful());
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
async fn what_must_not_be_logged_is_not_recorded() {
    let (ledger, ctx) = tracked();
    let mut policy = effectful();
    policy.access.redact = vec!["card".to_owned()];
    let tool = Made::new("pay", |args: Value| async move {
        let card = args["card"].as_str().unwrap_or_default();
        let image = ToolContent::image_url(format!("https://x.test/{card}"));
        Ok(ToolResult::success(format!("charged {card}")).with_content(image))
    });
    let pay = ToolCall::new("c1", "pay", json!({ "card": "4242424242424242" }));
    let batch = dispatch(&dispatcher([tool.policy(policy)]), &ctx, vec![pay]).await;
    assert!(batch.messages[0].content.contains("4242"));
    let row = only_row(&*ledger, "c1").await;
    let row = serde_json::to_string(&row).unwrap();
    assert!(
        !row.contains("4242") && row.contains("charged [redacted]"),
        "{row}"
    );
}

/// A ledger that fails at one thing.
struct Broken {
    inner: MemoryLedger,
    starts: bool,
    settlements: bool,
}

#[async_trait]
impl ToolEffectLedger for Broken {
    async fn started(&self, start: ToolEffectStart) -> Result<ToolEffectClaim, LedgerError> {
        if self.starts && start.call_id != "fine" {
            return Err(anyhow::anyhow!("no disk").into());
        }
        self.inner.started(start).await
    }

    async fn settled(&self, settle: ToolEffectSettle) -> Result<(), LedgerError> {
        if self.settlements {
            return Err(anyhow::anyhow!("no disk").into());
        }
        self.inner.settled(settle).await
    }

    async fn withdrawn(&self, tool_name: &str, key: &str, claim: u64) -> Result<(), LedgerError> {
        self.inner.withdrawn(tool_name, key, claim).await
    }

    async fn unresolved(&self, run_id: &str) -> Result<Vec<ToolEffect>, LedgerError> {
        self.inner.unresolved(run_id).await
    }

    async fn of_call(&self, run_id: &str, call_id: &str) -> Result<Vec<ToolEffect>, LedgerError> {
        self.inner.of_call(run_id, call_id).await
    }
}

fn broken(starts: bool, settlements: bool) -> (EventLog, RunContext) {
    let log = EventLog::new();
    let ledger = Broken {
        inner: MemoryLedger::new(),
        starts,
        settlements,
    };
    let ctx = RunContext::new().with_run_id("r1").with_events(log.clone());
    (log, ctx.with_tool_effect_ledger(Arc::new(ledger)))
}

fn is_told(log: &EventLog) -> bool {
    let told = |event: &AgentEvent| matches!(event, AgentEvent::ControlApplied { control, .. } if control == "ledger_failed");
    log.events().iter().any(told)
}

#[tokio::test]
async fn a_start_that_can_not_be_recorded_aborts_the_run_and_keeps_what_was_done() {
    let (log, ctx) = broken(true, false);
    let tool = Made::echo("pay").policy(effectful());
    let dispatcher = dispatcher([tool.clone(), Made::echo("read")]);
    let calls = vec![
        call("fine", "pay"),
        call("c2", "pay"),
        call("c3", "read"),
        call("c4", "pay"),
    ];
    let failed = dispatcher.dispatch(&(), &ctx, calls).await.unwrap_err();
    assert!(matches!(failed, TinyAgentsError::Ledger(_)), "{failed}");
    assert!(is_told(&log));
    let run = ctx.failed_run().unwrap();
    let rows: Vec<_> = run
        .messages
        .iter()
        .filter_map(|message| message.as_tool())
        .collect();
    let texts: Vec<&str> = rows.iter().map(|row| row.content.as_str()).collect();
    assert_eq!(
        texts,
        [
            "{}",
            "not run: its effect could not be recorded",
            "not run: the run failed",
            "not run: the run failed"
        ]
    );
    assert_eq!(tool.runs(), 1);
}

#[tokio::test]
async fn a_host_may_go_on_without_its_ledger() {
    let (log, ctx) = broken(true, false);
    let ctx = ctx.with_tool_effect_ledger_failure(LedgerFailure::Continue);
    let tool = Made::echo("pay").policy(effectful());
    let batch = dispatch(&dispatcher([tool]), &ctx, vec![call("c1", "pay")]).await;
    assert_eq!(batch.messages[0].content, "{}");
    assert!(is_told(&log));
}

#[tokio::test]
async fn a_child_run_can_not_loosen_what_becomes_of_a_failure() {
    let (_log, ctx) = broken(true, false);
    let child = ctx
        .child()
        .with_tool_effect_ledger_failure(LedgerFailure::Continue);
    let dispatcher = dispatcher([Made::echo("pay").policy(effectful())]);
    let failed = dispatcher
        .dispatch(&(), &child, vec![call("c1", "pay")])
        .await;
    assert!(failed.is_err());
}

#[tokio::test]
async fn a_settlement_that_fails_never_costs_a_result() {
    let (log, ctx) = broken(false, true);
    let tool = Made::echo("pay").policy(effectful());
    let batch = dispatch(&dispatcher([tool]), &ctx, vec![call("c1", "pay")]).await;
    assert!(!batch.messages[0].is_error && batch.stop.is_none());
    assert!(is_told(&log));
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
