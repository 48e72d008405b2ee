//! Tools of toolsets in the ledger: what they are called is the set's matter, who they are is not.

#![allow(missing_docs, clippy::unwrap_used)]

mod effects_support;
mod lifecycle_support;
mod reconcile_support;

use std::sync::Arc;
use std::time::Duration;

use effects_support::{context, paying};
use lifecycle_support::{Made, call, dispatch, harness, run, sleeper};
use reconcile_support::{reconcile, turn};
use tinyagents::effects::{MemoryLedger, ToolEffectLedger, ToolEffectStatus};
use tinyagents::model::{Message, ScriptedModel};
use tinyagents::runtime::{Dispatcher, ToolRegistry};
use tinyagents::tinytools::ToolReplay;
use tinyagents::toolset::{ToolSet, ToolSetExt as _};

/// The tools under another name than their own.
fn shown_as<const N: usize>(prefix: &str, tools: [Made; N]) -> impl ToolSet + use<N> {
    let mut registry = ToolRegistry::new();
    for tool in tools {
        registry.register(tool).unwrap();
    }
    registry.prefixed(prefix)
}

/// Begins a call and lets its run die in the middle.
async fn crash_in(ledger: &Arc<MemoryLedger>, name: &'static str, replay: ToolReplay) {
    let tool = sleeper(name, 1000).policy(paying(replay));
    let dispatcher = Dispatcher::new(ToolRegistry::new()).with_toolset(shown_as("bank", [tool]));
    let calls = vec![call(name, &format!("bank_{name}"))];
    let ctx = context(ledger);
    let running = run(&dispatcher, &ctx, calls);
    let timeout = tokio::time::timeout(Duration::from_millis(10), running);
    assert!(timeout.await.is_err());
}

#[tokio::test]
async fn the_row_has_the_name_of_the_tool_itself() {
    let ledger = Arc::default();
    let pay = Made::echo("pay").policy(paying(ToolReplay::Never));
    let dispatcher = Dispatcher::new(ToolRegistry::new()).with_toolset(shown_as("bank", [pay]));
    let calls = vec![call("c1", "bank_pay")];
    dispatch(&dispatcher, &context(&ledger), calls).await;
    let rows = ledger.of_call("r1", "c1").await.unwrap();
    assert_eq!(rows[0].tool_name, "pay");
}

#[tokio::test(start_paused = true)]
async fn an_interrupted_tool_of_a_set_is_reconciled_by_its_own_policy() {
    let ledger = Arc::default();
    crash_in(&ledger, "save", ToolReplay::Safe).await;
    crash_in(&ledger, "pay", ToolReplay::Never).await;
    let save = Made::echo("save").policy(paying(ToolReplay::Safe));
    let pay = Made::echo("pay").policy(paying(ToolReplay::Never));
    let mut harness = harness(ScriptedModel::new().text("done"), []);
    harness.with_toolset(shown_as("bank", [save.clone(), pay.clone()]));
    let mut messages = turn(vec![call("save", "bank_save"), call("pay", "bank_pay")]);
    for _ in 0..2 {
        reconcile(&harness, &context(&ledger), &mut messages).await;
        let rows: Vec<_> = messages.iter().filter_map(Message::as_tool).collect();
        assert_eq!(rows.len(), 1);
        assert!(rows[0].content.contains("`pay` was interrupted"));
        assert_eq!(rows[0].tool_name, "bank_pay");
    }
    let run = harness.invoke_in_context(&(), context(&ledger), messages);
    assert_eq!(run.await.unwrap().final_text.as_deref(), Some("done"));
    assert_eq!((save.runs(), pay.runs()), (1, 0));
    let row = ledger.of_call("r1", "save").await.unwrap().remove(0);
    assert_eq!((row.status, row.attempts), (ToolEffectStatus::Completed, 2));
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_its_set_does_not_show_any_more_is_not_run_again() {
    let ledger = Arc::default();
    crash_in(&ledger, "save", ToolReplay::Safe).await;
    let save = Made::echo("save").policy(paying(ToolReplay::Safe));
    let mut harness = harness(ScriptedModel::new(), []);
    harness.with_toolset(shown_as("bank", [save]).filtered(|_, _| false));
    let mut messages = turn(vec![call("save", "bank_save")]);
    reconcile(&harness, &context(&ledger), &mut messages).await;
    let row = messages.last().unwrap().as_tool().unwrap();
    assert!(row.content.contains("`save` was interrupted"), "{row:?}");
}
