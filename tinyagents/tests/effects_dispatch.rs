//! What a dispatched call leaves in the ledger, however it ends.

#![allow(missing_docs, clippy::unwrap_used)]

mod effects_support;
mod lifecycle_support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use effects_support::{looker, only_row, paying, tracked};
use lifecycle_support::{Made, call, calls, dispatch, dispatcher, run, sleeper};
use serde_json::{Value, json};
use tinyagents::ToolCall;
use tinyagents::effects::{ToolEffectLedger, ToolEffectStatus};
use tinyagents::tinytools::{ToolContent, ToolError, ToolPolicy, ToolReplay, ToolResult};

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
        (paying(ToolReplay::Never), 1),
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
    let tool = Made::echo("pay")
        .policy(paying(ToolReplay::Never))
        .schema(schema);
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
        let tool =
            Made::new("pay", move |_| async move { body() }).policy(paying(ToolReplay::Never));
        let batch = dispatch(&dispatcher([tool]), &ctx, vec![call("c1", "pay")]).await;
        let row = only_row(&*ledger, "c1").await;
        assert_eq!(row.status, status);
        assert_eq!(row.answer, Some(batch.messages[0].clone().into()));
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_was_stopped_is_interrupted() {
    let mut limited = paying(ToolReplay::Never);
    limited.runtime.timeout_ms = Some(50);
    for policy in [limited, paying(ToolReplay::Never)] {
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
    let dispatcher = dispatcher([sleeper("pay", 1000).policy(paying(ToolReplay::Never))]);
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
    let dispatcher = dispatcher([tool.policy(paying(ToolReplay::Never))]);
    let batch = dispatch(&dispatcher, &ctx, vec![call("c1", "pay")]).await;
    assert_eq!(batch.deferred.unwrap().approvals.len(), 1);
    assert!(ledger.of_call("r1", "c1").await.unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn attempts_of_one_call_are_one_row() {
    let (ledger, ctx) = tracked();
    let mut policy = paying(ToolReplay::Never);
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
    let tool = Made::echo("pay")
        .policy(paying(ToolReplay::Never))
        .concurrent();
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
async fn what_must_not_be_logged_is_not_recorded() {
    let (ledger, ctx) = tracked();
    let mut policy = paying(ToolReplay::Never);
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
