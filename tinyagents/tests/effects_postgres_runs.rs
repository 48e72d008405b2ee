//! Runs of several hosts over one PostgreSQL ledger. Run by `.ci/run postgres`.

#![cfg(feature = "postgres")]
#![allow(missing_docs, clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod postgres_support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::future::join_all;
use postgres_support::Database;
use serde_json::{Value, json};
use tinyagents::effects::{LedgerError, LedgerFailure, ToolEffectLedger};
use tinyagents::model::{Message, ScriptedModel};
use tinyagents::tinytools::{Tool, ToolPolicy, ToolResult, async_trait};
use tinyagents::{AgentHarness, PausedRun, PausedRunStore, RunContext, TinyAgentsError, anyhow};

/// Pays once a person has said so, and counts.
struct Pay(Arc<AtomicUsize>);

#[async_trait]
impl Tool for Pay {
    fn name(&self) -> &'static str {
        "pay"
    }

    fn description(&self) -> &'static str {
        "Pay."
    }

    fn parameters_schema(&self) -> Value {
        json!({ "type": "object" })
    }

    fn policy(&self) -> ToolPolicy {
        let mut policy = ToolPolicy::classified();
        policy.side_effects.payment = true;
        policy.access.approval_required = true;
        policy
    }

    async fn execute(&self, _: Value) -> anyhow::Result<ToolResult> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Ok(ToolResult::success("paid"))
    }
}

fn harness(model: ScriptedModel, paid: &Arc<AtomicUsize>) -> AgentHarness<()> {
    let mut harness = AgentHarness::new();
    harness.with_model(model);
    harness.register_tool(Pay(Arc::clone(paid))).unwrap();
    harness
}

#[tokio::test]
#[ignore = "needs a PostgreSQL server"]
async fn of_two_hosts_that_resume_one_run_one_wins_and_the_other_is_told() {
    let database = Database::new("resumed").await;
    let paid = Arc::default();
    let first = Arc::new(database.host().await);
    let model = ScriptedModel::new().call("pay", json!({}));
    let ctx = RunContext::new().with_run_id("r1");
    let ctx = ctx.with_tool_effect_ledger(Arc::clone(&first));
    let messages = vec![Message::user("go")];
    let asking = harness(model, &paid);
    let run = asking.invoke_in_context(&(), ctx, messages).await;
    let paused = PausedRun::of(&run.unwrap()).unwrap();
    first.save(&paused, None).await.unwrap();

    // Both have read the run before one of them claims it.
    let mut hosts = Vec::new();
    for _ in 0..2 {
        let host = Arc::new(database.host().await);
        let saved = host.load("r1").await.unwrap().unwrap();
        hosts.push((host, saved));
    }
    let resumed = hosts.into_iter().map(|(host, saved)| {
        let paid = Arc::clone(&paid);
        async move {
            let version = host.claim("r1", saved.version).await?;
            let results = saved.run.requests().approve_all();
            let ctx = saved.run.context();
            let ctx = ctx.with_tool_effect_ledger(Arc::clone(&host));
            let harness = harness(ScriptedModel::new().text("done"), &paid);
            let run = harness.resume_deferred(&(), ctx, saved.run.messages, results);
            assert_eq!(run.await?.final_text.as_deref(), Some("done"));
            host.remove("r1", version).await?;
            anyhow::Ok(())
        }
    });
    let resumed = join_all(resumed).await;
    assert_eq!(resumed.iter().filter(|run| run.is_ok()).count(), 1);
    let lost = resumed.into_iter().find_map(Result::err).unwrap();
    assert!(
        matches!(
            lost.downcast_ref(),
            Some(LedgerError::PausedRunChanged { .. })
        ) && lost.to_string().contains("somebody else has resumed"),
        "{lost}"
    );
    assert_eq!(paid.load(Ordering::SeqCst), 1);
    assert!(first.load("r1").await.unwrap().is_none());
}

#[tokio::test]
#[ignore = "needs a PostgreSQL server"]
async fn a_run_of_another_host_is_not_gone_on_with_whatever_the_host_prefers() {
    let database = Database::new("preference").await;
    let other = database.host().await;
    other.take_over("r1").await.unwrap();
    for failure in [LedgerFailure::Abort, LedgerFailure::Continue] {
        let paid = Arc::default();
        let mut harness: AgentHarness<()> = AgentHarness::new();
        harness.with_model(ScriptedModel::new().call("pay", json!({})).text("done"));
        let mut tool = ToolPolicy::classified();
        tool.side_effects.payment = true;
        harness
            .register_tool(Free(Pay(Arc::clone(&paid)), tool))
            .unwrap();
        let ledger = Arc::new(database.host().await);
        let ctx = RunContext::new()
            .with_run_id("r1")
            .with_tool_effect_ledger(Arc::clone(&ledger))
            .with_tool_effect_ledger_failure(failure);
        let mut messages = vec![Message::user("go")];
        let run = harness.invoke_in_context(&(), ctx.clone(), messages.clone());
        let failed = run.await.unwrap_err();
        assert!(is_lost(&failed), "{failed}");
        assert_eq!(paid.load(Ordering::SeqCst), 0);
        messages = ctx.failed_run().unwrap().messages;
        let reconciled = harness.reconcile_tool_effects(&ctx, "r1", &mut messages);
        let reconciled = reconciled.await.unwrap_err();
        assert!(is_lost(&reconciled), "{reconciled}");
    }
}

fn is_lost(error: &TinyAgentsError) -> bool {
    let TinyAgentsError::Ledger(error) = error else {
        return false;
    };
    let error = error.downcast_ref();
    matches!(error, Some(LedgerError::RunHeld { .. }))
}

/// The same under another policy.
struct Free(Pay, ToolPolicy);

#[async_trait]
impl Tool for Free {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn description(&self) -> &str {
        self.0.description()
    }

    fn parameters_schema(&self) -> Value {
        self.0.parameters_schema()
    }

    fn policy(&self) -> ToolPolicy {
        self.1.clone()
    }

    async fn execute(&self, args: Value) -> anyhow::Result<ToolResult> {
        self.0.execute(args).await
    }
}
