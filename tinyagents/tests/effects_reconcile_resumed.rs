//! Runs that go on after a crash, with an approval or a recorded answer.

#![allow(missing_docs, clippy::unwrap_used)]

mod effects_support;
mod lifecycle_support;
mod reconcile_support;

use std::sync::Arc;
use std::time::Duration;

use effects_support::{context, paying};
use lifecycle_support::{Made, call, harness, sleeper};
use reconcile_support::{complete, pay, reconcile, rows, turn};
use serde_json::json;
use tinyagents::effects::ToolEffectLedger;
use tinyagents::model::{Message, ScriptedModel};
use tinyagents::runtime::StopReason;
use tinyagents::tinytools::{ToolPolicy, ToolReplay};
use tinyagents::{DeferredToolResults, RunContext, TinyAgentsError};

/// A tool that a person must approve, and that takes its time.
fn approved(millis: u64) -> Made {
    let mut policy = paying(ToolReplay::Never);
    policy.access.approval_required = true;
    sleeper("pay", millis).policy(policy)
}

#[tokio::test(start_paused = true)]
async fn an_approved_call_that_a_crash_interrupted_is_not_run_by_the_next_resume() {
    let ledger = Arc::default();
    let model = ScriptedModel::new()
        .calls([("pay", json!({ "n": 1 })), ("pay", json!({ "n": 2 }))])
        .text("done")
        .text("done");
    let tool = approved(1000);
    let harness = harness(model, [tool.clone()]);
    let paused = harness
        .invoke_in_context(&(), context(&ledger), vec![Message::user("go")])
        .await
        .unwrap();
    assert!(ledger.unresolved("r1").await.unwrap().is_empty());
    let results = || {
        let edited = json!({ "n": 7 });
        DeferredToolResults::new()
            .approve_with_args("call-1", edited)
            .approve("call-2")
    };
    let resume =
        || harness.resume_deferred(&(), context(&ledger), paused.messages.clone(), results());
    let crashed = tokio::time::timeout(Duration::from_millis(10), resume()).await;
    assert!(crashed.is_err());
    assert_eq!(tool.runs(), 1);

    let run = resume().await.unwrap();
    let rows = rows(&run.messages);
    assert!(
        rows[0].1.contains("interrupted before settlement"),
        "{rows:?}"
    );
    assert_eq!(rows[1], ("call-2", "2"));
    assert_eq!(tool.runs(), 2);
    assert!(run.deferred.is_none());

    // And once more, as if that answer had been lost as well: nothing is left to run.
    let again = resume().await.unwrap();
    assert_eq!(again.messages, run.messages);
    assert_eq!(tool.runs(), 2);
}

#[tokio::test(start_paused = true)]
async fn results_that_do_not_fit_settle_nothing() {
    let ledger = Arc::default();
    let harness = harness(
        ScriptedModel::new().call("pay", json!({ "n": 1 })),
        [approved(1000)],
    );
    let paused = harness
        .invoke_in_context(&(), context(&ledger), vec![Message::user("go")])
        .await
        .unwrap();
    let resume =
        |results| harness.resume_deferred(&(), context(&ledger), paused.messages.clone(), results);
    let approved = resume(DeferredToolResults::new().approve("call-1"));
    assert!(
        tokio::time::timeout(Duration::from_millis(10), approved)
            .await
            .is_err()
    );
    let refused = resume(DeferredToolResults::new().approve("another")).await;
    assert!(matches!(refused, Err(TinyAgentsError::DeferredResults(_))));
    assert_eq!(ledger.unresolved("r1").await.unwrap().len(), 1);
}

/// A tool whose result is the run's.
fn direct(policy: ToolPolicy) -> Made {
    let mut tool = Made::echo("pay").policy(policy);
    tool.direct = true;
    tool
}

#[tokio::test]
async fn a_recorded_answer_that_is_the_runs_ends_the_run_that_goes_on() {
    for is_direct in [true, false] {
        let ledger = Arc::default();
        complete(&ledger, call("lost", "pay")).await;
        let mut messages = turn(vec![call("lost", "pay")]);
        let tool = if is_direct {
            direct(paying(ToolReplay::Never))
        } else {
            pay()
        };
        let harness = harness(ScriptedModel::new().text("done"), [tool.clone()]);
        let ctx = context(&ledger);
        reconcile(&harness, &ctx, &mut messages).await;
        reconcile(&harness, &ctx, &mut messages).await;
        let run = harness.invoke_in_context(&(), ctx, messages).await.unwrap();
        assert_eq!(tool.runs(), 0);
        if is_direct {
            assert_eq!(run.stop, StopReason::ReturnDirect);
            assert_eq!(
                (run.final_text.as_deref(), run.model_calls),
                (Some("{}"), 0)
            );
        } else {
            assert_eq!(run.final_text.as_deref(), Some("done"));
        }
    }
}

#[tokio::test]
async fn it_does_not_end_a_talk_that_has_gone_on_nor_another_run() {
    let ledger = Arc::default();
    complete(&ledger, call("lost", "pay")).await;
    let model = ScriptedModel::new().text("done").text("done");
    let harness = harness(model, [direct(paying(ToolReplay::Never))]);
    let ctx = context(&ledger);
    let mut messages = turn(vec![call("lost", "pay")]);
    reconcile(&harness, &ctx, &mut messages).await;
    let mut further = messages.clone();
    further.push(Message::user("And now?"));
    let elsewhere = RunContext::new().with_run_id("r2");
    for (ctx, messages) in [(elsewhere, messages), (ctx, further)] {
        let run = harness.invoke_in_context(&(), ctx, messages).await.unwrap();
        assert_eq!(run.final_text.as_deref(), Some("done"));
    }
}

#[tokio::test]
async fn an_approved_call_whose_answer_was_lost_ends_the_resumed_run_as_it_would_have() {
    let ledger = Arc::default();
    let model = ScriptedModel::new().call("pay", json!({}));
    let tool = direct(paying(ToolReplay::Never).requiring_approval());
    let harness = harness(model, [tool.clone()]);
    let paused = harness
        .invoke_in_context(&(), context(&ledger), vec![Message::user("go")])
        .await
        .unwrap();
    for _ in 0..2 {
        let results = DeferredToolResults::new().approve("call-1");
        let messages = paused.messages.clone();
        let run = harness
            .resume_deferred(&(), context(&ledger), messages, results)
            .await
            .unwrap();
        assert_eq!(run.stop, StopReason::ReturnDirect);
        assert_eq!(run.final_text.as_deref(), Some("{}"));
        assert_eq!(tool.runs(), 1);
    }
}
