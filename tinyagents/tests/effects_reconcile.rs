//! Transcripts after a crash: what is answered, what is run again, what is left.

#![allow(missing_docs, clippy::unwrap_used)]

mod effects_support;
mod lifecycle_support;
mod reconcile_support;

use std::sync::Arc;
use std::time::Duration;

use effects_support::{context, paying};
use lifecycle_support::{Made, call, harness, run, sleeper};
use reconcile_support::{complete, pay, reconcile, rows, turn};
use serde_json::json;
use tinyagents::effects::{
    MemoryLedger, ToolEffectClaim, ToolEffectLedger, ToolEffectSettle, ToolEffectStatus,
};
use tinyagents::model::{Message, ScriptedModel, ToolMessage};
use tinyagents::runtime::{Dispatcher, ToolRegistry};
use tinyagents::tinytools::ToolReplay;
use tinyagents::{AgentEvent, EventLog, RunContext, TinyAgentsError, ToolCall};

/// Begins a call and lets its run die in the middle.
async fn crash_in(
    ledger: &Arc<MemoryLedger>,
    name: &'static str,
    replay: ToolReplay,
    call: ToolCall,
) {
    let mut registry = ToolRegistry::new();
    registry
        .register(sleeper(name, 1000).policy(paying(replay)))
        .unwrap();
    let dispatcher = Dispatcher::new(registry);
    let ctx = context(ledger);
    let running = run(&dispatcher, &ctx, vec![call]);
    assert!(
        tokio::time::timeout(Duration::from_millis(10), running)
            .await
            .is_err()
    );
}

fn save() -> Made {
    Made::echo("save").policy(paying(ToolReplay::Safe))
}

#[tokio::test(start_paused = true)]
async fn every_kind_of_call_gets_what_it_needs_and_twice_is_as_once() {
    let ledger = Arc::default();
    crash_in(&ledger, "pay", ToolReplay::Never, call("dead", "pay")).await;
    crash_in(&ledger, "save", ToolReplay::Safe, call("safe", "save")).await;
    crash_in(&ledger, "gone", ToolReplay::Safe, call("gone", "gone")).await;
    complete(&ledger, call("lost", "pay")).await;
    let mut messages = turn(vec![
        call("dead", "pay"),
        call("answered", "pay"),
        call("safe", "save"),
        call("lost", "pay"),
        call("fresh", "pay"),
        call("gone", "gone"),
    ]);
    messages.push(Message::tool("answered", "pay", "paid"));

    let (pay, save) = (pay(), save());
    let harness = harness(
        ScriptedModel::new().text("done"),
        [pay.clone(), save.clone()],
    );
    let log = EventLog::new();
    let ctx = context(&ledger).with_events(log.clone());
    reconcile(&harness, &ctx, &mut messages).await;
    let interrupted = |tool: &str| {
        format!(
            "`{tool}` was interrupted before settlement; its effect may have happened, and it was not run again"
        )
    };
    let (dead, gone) = (interrupted("pay"), interrupted("gone"));
    let expected = [
        ("dead", dead.as_str()),
        ("answered", "paid"),
        ("lost", "{}"),
        ("gone", &gone),
    ];
    assert_eq!(rows(&messages), expected);
    let outcomes: Vec<String> = log
        .events()
        .iter()
        .filter_map(|event| match event {
            AgentEvent::ToolEffectReconciled {
                call_id, outcome, ..
            } => Some(format!("{call_id} {outcome}")),
            _ => None,
        })
        .collect();
    assert_eq!(
        outcomes,
        [
            "dead interrupted",
            "safe replay",
            "lost recorded",
            "gone interrupted"
        ]
    );
    assert!(ledger.unresolved("r1").await.unwrap().is_empty());
    assert_eq!((pay.runs(), save.runs()), (0, 0));

    let once = messages.clone();
    reconcile(&harness, &ctx, &mut messages).await;
    assert_eq!(messages, once);

    // The loop runs what is left, in the places of those calls, before it asks the model.
    let run = harness.invoke_in_context(&(), ctx, messages).await.unwrap();
    let ids: Vec<&str> = rows(&run.messages).iter().map(|(id, _)| *id).collect();
    assert_eq!(ids, ["dead", "answered", "safe", "lost", "fresh", "gone"]);
    assert_eq!((pay.runs(), save.runs()), (1, 1));
    assert_eq!(run.final_text.as_deref(), Some("done"));
    let row = &ledger.of_call("r1", "safe").await.unwrap()[0];
    assert_eq!(
        (row.status, row.claim, row.attempts),
        (ToolEffectStatus::Completed, 2, 2)
    );
}

#[tokio::test(start_paused = true)]
async fn a_transcript_that_lost_its_answers_again_gets_the_same_ones() {
    let ledger = Arc::default();
    crash_in(&ledger, "pay", ToolReplay::Never, call("c1", "pay")).await;
    let harness = harness(ScriptedModel::new(), [pay()]);
    let mut first = turn(vec![call("c1", "pay")]);
    let mut second = first.clone();
    reconcile(&harness, &context(&ledger), &mut first).await;
    reconcile(&harness, &context(&ledger), &mut second).await;
    assert_eq!(first, second);
    assert_eq!(rows(&first).len(), 1);
}

#[tokio::test(start_paused = true)]
async fn only_the_last_assistant_turn_is_looked_at() {
    let ledger = Arc::default();
    crash_in(&ledger, "pay", ToolReplay::Never, call("c1", "pay")).await;
    let harness = harness(ScriptedModel::new(), [pay()]);
    let mut messages = turn(vec![call("c1", "pay")]);
    messages.push(Message::assistant("never mind"));
    let before = messages.clone();
    reconcile(&harness, &context(&ledger), &mut messages).await;
    assert_eq!(messages, before);
    assert_eq!(ledger.unresolved("r1").await.unwrap().len(), 1);
    let mut nothing = Vec::new();
    reconcile(&harness, &context(&ledger), &mut nothing).await;
    assert!(nothing.is_empty());
}

#[tokio::test]
async fn an_earlier_turns_call_of_the_same_id_is_not_this_one() {
    let ledger = Arc::default();
    let earlier = ToolCall::new("call_0", "pay", json!({ "to": "alice" }));
    complete(&ledger, earlier).await;
    let harness = harness(ScriptedModel::new(), [pay()]);
    let mut messages = turn(vec![ToolCall::new("call_0", "pay", json!({ "to": "bob" }))]);
    reconcile(&harness, &context(&ledger), &mut messages).await;
    assert!(rows(&messages).is_empty(), "{messages:?}");
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_is_no_longer_safe_is_not_run_again() {
    for (then, now) in [
        (ToolReplay::Safe, ToolReplay::Never),
        (ToolReplay::Never, ToolReplay::Safe),
    ] {
        let ledger = Arc::default();
        crash_in(&ledger, "pay", then, call("c1", "pay")).await;
        let harness = harness(ScriptedModel::new(), [pay().policy(paying(now))]);
        let mut messages = turn(vec![call("c1", "pay")]);
        reconcile(&harness, &context(&ledger), &mut messages).await;
        assert_eq!(rows(&messages).len(), 1);
    }
}

#[tokio::test]
async fn a_live_call_that_ends_while_it_is_reconciled_keeps_its_own_answer() {
    /// A ledger in which the call settles itself just before the reconciliation does.
    struct Racing(MemoryLedger);
    #[async_trait::async_trait]
    impl ToolEffectLedger for Racing {
        async fn started(
            &self,
            start: tinyagents::ToolEffectStart,
        ) -> Result<ToolEffectClaim, tinyagents::LedgerError> {
            self.0.started(start).await
        }
        async fn settled(&self, settle: ToolEffectSettle) -> Result<(), tinyagents::LedgerError> {
            let own = ToolEffectSettle {
                status: ToolEffectStatus::Completed,
                answer: Some(ToolMessage::new("c1", "pay", "paid").into()),
                ..settle.clone()
            };
            self.0.settled(own).await?;
            self.0.settled(settle).await
        }
        async fn withdrawn(
            &self,
            tool: &str,
            key: &str,
            claim: u64,
        ) -> Result<(), tinyagents::LedgerError> {
            self.0.withdrawn(tool, key, claim).await
        }
        async fn unresolved(
            &self,
            run: &str,
        ) -> Result<Vec<tinyagents::ToolEffect>, tinyagents::LedgerError> {
            self.0.unresolved(run).await
        }
        async fn of_call(
            &self,
            run: &str,
            call: &str,
        ) -> Result<Vec<tinyagents::ToolEffect>, tinyagents::LedgerError> {
            self.0.of_call(run, call).await
        }
    }
    let ledger = Arc::new(Racing(MemoryLedger::new()));
    let start = tinyagents::ToolEffectStart {
        run_id: "r1".into(),
        call_id: "c1".into(),
        tool_name: "pay".to_owned(),
        key: "k".to_owned(),
        request_hash: String::new(),
        replay: ToolReplay::Never,
    };
    ledger.started(start).await.unwrap();
    let harness = harness(ScriptedModel::new(), [pay()]);
    let mut messages = turn(vec![call("c1", "pay")]);
    let ctx = RunContext::new().with_tool_effect_ledger(ledger);
    reconcile(&harness, &ctx, &mut messages).await;
    assert_eq!(rows(&messages), [("c1", "paid")]);
}

#[tokio::test]
async fn without_a_ledger_there_is_nothing_to_reconcile_with_and_nothing_is_run_again() {
    let pay = pay();
    let harness = harness(ScriptedModel::new().text("done"), [pay.clone()]);
    let mut messages = turn(vec![call("c1", "pay")]);
    let refused = harness
        .reconcile_tool_effects(&RunContext::new(), "r1", &mut messages)
        .await;
    assert!(matches!(refused, Err(TinyAgentsError::Validation(_))));
    harness.invoke(&(), messages).await.unwrap();
    assert_eq!(pay.runs(), 0);
}

#[tokio::test]
async fn a_recovered_answer_has_no_redacted_value() {
    let ledger = Arc::default();
    let mut secret = paying(ToolReplay::Never);
    secret.access.redact = vec!["card".to_owned()];
    let pay = pay().policy(secret);
    let charge = ToolCall::new("c1", "pay", json!({ "card": "4242424242424242" }));
    let harness = harness(ScriptedModel::new(), [pay.clone()]);
    let mut registry = ToolRegistry::new();
    registry.register(pay).unwrap();
    run(
        &Dispatcher::new(registry),
        &context(&ledger),
        vec![charge.clone()],
    )
    .await;
    let mut messages = turn(vec![charge]);
    reconcile(&harness, &context(&ledger), &mut messages).await;
    assert_eq!(rows(&messages), [("c1", r#"{"card":"[redacted]"}"#)]);
}
