//! The ledger under wrap hooks that run a tool again.

#![allow(missing_docs, clippy::unwrap_used)]

mod around;
mod effects_support;
mod lifecycle_support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use around::around;
use effects_support::{context, paying};
use lifecycle_support::{Made, call, dispatch, dispatcher};
use serde_json::{Value, json};
use tinyagents::effects::{MemoryLedger, ToolEffect, ToolEffectLedger, ToolEffectStatus};
use tinyagents::tinytools::{ToolReplay, ToolResult};

/// What a call came to whose tool fails twice, under a hook that tries again, with other arguments where it `changes` them:
/// its rows, its answer, and how often the hook and the tool ran.
async fn outcome(replay: ToolReplay, changes: bool) -> (Vec<ToolEffect>, String, usize, usize) {
    let ledger = Arc::new(MemoryLedger::new());
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&runs);
    let tool = Made::new("pay", move |_: Value| {
        let run = counted.fetch_add(1, Ordering::SeqCst);
        async move {
            if run < 2 {
                return Ok(ToolResult::error("no route"));
            }
            Ok(ToolResult::success("paid"))
        }
    });
    let tries = Arc::new(AtomicUsize::new(0));
    let of_hook = Arc::clone(&tries);
    // Until it is answered well, three times at most.
    let stubborn = around(move |ctx, call, next| {
        let (mut call, of_hook) = (call.clone(), Arc::clone(&of_hook));
        Box::pin(async move {
            loop {
                let number = of_hook.fetch_add(1, Ordering::SeqCst);
                let result = next.run(ctx, &call).await?;
                if !result.is_error || number == 2 {
                    return Ok(result);
                }
                if changes {
                    call.arguments = json!({ "n": number });
                }
            }
        })
    });
    let dispatcher = dispatcher([tool.policy(paying(replay))]).with_middleware(stubborn);
    let batch = dispatch(&dispatcher, &context(&ledger), vec![call("c1", "pay")]).await;
    assert_eq!(batch.messages.len(), 1);
    let rows = ledger.of_call("r1", "c1").await.unwrap();
    let answer = batch.messages[0].content.clone();
    let (tries, runs) = (tries.load(Ordering::SeqCst), runs.load(Ordering::SeqCst));
    (rows, answer, tries, runs)
}

#[tokio::test]
async fn tries_of_a_hook_are_one_row_with_attempts_counted() {
    let (rows, answer, tries, runs) = outcome(ToolReplay::Safe, false).await;
    assert_eq!((rows.len(), tries, runs, &*answer), (1, 3, 3, "paid"));
    let row = &rows[0];
    assert_eq!(row.status, ToolEffectStatus::Completed);
    assert_eq!((row.attempts, row.claim), (3, 3));
    assert_eq!(row.answer.as_ref().unwrap().row.content, "paid");
}

#[tokio::test]
async fn a_hook_can_not_make_a_tool_run_again_that_must_not() {
    let (rows, answer, tries, runs) = outcome(ToolReplay::Never, false).await;
    assert_eq!((rows.len(), tries, runs, &*answer), (1, 3, 1, "no route"));
    let row = &rows[0];
    assert_eq!(row.status, ToolEffectStatus::Failed);
    assert_eq!((row.attempts, row.claim), (1, 1));
}

#[tokio::test]
async fn a_hook_that_asks_for_something_else_has_a_row_for_each() {
    let (rows, answer, tries, runs) = outcome(ToolReplay::Never, true).await;
    assert_eq!((rows.len(), tries, runs, &*answer), (3, 3, 3, "paid"));
    let statuses: Vec<_> = rows.iter().map(|row| row.status).collect();
    let failed = ToolEffectStatus::Failed;
    assert_eq!(statuses, [failed, failed, ToolEffectStatus::Completed]);
    assert!(rows.iter().all(|row| row.attempts == 1));
}
