//! A run that goes on with recorded answers is as if it had never stopped: the same messages, the same metadata.

#![allow(missing_docs, clippy::unwrap_used)]

mod around;
mod effects_support;
mod lifecycle_support;

use std::sync::Arc;
use std::time::Duration;

use around::around;
use effects_support::context;
use lifecycle_support::{Made, call, dispatch, dispatcher, harness, sleeper};
use serde_json::{Value, json};
use tinyagents::effects::{MemoryLedger, ToolEffectLedger as _};
use tinyagents::model::{Message, ScriptedModel};
use tinyagents::runtime::{Batch, StopReason};
use tinyagents::tinytools::{ToolContent, ToolPolicy, ToolReplay, ToolResult};
use tinyagents::{DeferredToolResults, ToolCall};

fn policy(replay: ToolReplay) -> ToolPolicy {
    let mut policy = ToolPolicy::classified();
    policy.runtime.idempotent = replay == ToolReplay::Safe;
    policy.runtime.replay = replay;
    policy
}

/// A tool whose result has all that a result can have.
fn scan(name: &'static str, replay: ToolReplay) -> Made {
    Made::new(name, |args: Value| async move {
        let page = args["page"].as_str().unwrap_or("?").to_owned();
        Ok(ToolResult::success(format!("scanned {page}"))
            .with_content(ToolContent::image_url("https://x.test/thumbnail.png"))
            .with_artifact("artifact:1", "application/pdf")
            .with_follow_up(ToolContent::text(format!("page {page}")))
            .with_follow_up(ToolContent::image_url("https://x.test/page.png"))
            .with_metadata(json!({ "receipt": { page: 17 } })))
    })
    .policy(policy(replay))
}

fn page(id: &str, name: &str) -> ToolCall {
    ToolCall::new(id, name, json!({ "page": id }))
}

fn parts(batch: &Batch) -> impl PartialEq + std::fmt::Debug {
    (
        batch.messages.clone(),
        batch.follow_up.clone(),
        batch.metadata.clone(),
        batch.return_direct.clone(),
    )
}

#[tokio::test]
async fn a_call_dispatched_again_brings_all_that_it_brought() {
    for is_wrapped in [false, true] {
        let ledger = Arc::default();
        let tool = scan("scan", ToolReplay::Never);
        let mut dispatcher = dispatcher([tool.clone()]);
        if is_wrapped {
            dispatcher = dispatcher.with_middleware(around(|ctx, call, next| {
                Box::pin(async move { next.run(ctx, call).await })
            }));
        }
        let calls = || vec![page("a", "scan"), page("b", "scan")];
        let first = dispatch(&dispatcher, &context(&ledger), calls()).await;
        assert_eq!((first.follow_up.len(), first.metadata.len()), (1, 2));
        assert!(!first.messages[0].blocks.is_empty());
        let again = dispatch(&dispatcher, &context(&ledger), calls()).await;
        assert_eq!(parts(&again), parts(&first));
        assert_eq!(tool.runs(), 2);
    }
}

#[tokio::test]
async fn the_results_own_word_on_the_end_of_the_run_is_kept() {
    for (declares, says) in [(false, true), (true, false)] {
        let ledger = Arc::default();
        let mut tool = Made::new("pay", move |_| async move {
            Ok(ToolResult::success("paid").with_return_direct(says))
        })
        .policy(policy(ToolReplay::Never));
        tool.direct = declares;
        let dispatcher = dispatcher([tool.clone()]);
        let calls = || vec![call("c1", "pay")];
        let first = dispatch(&dispatcher, &context(&ledger), calls()).await;
        let again = dispatch(&dispatcher, &context(&ledger), calls()).await;
        assert_eq!(first.return_direct.is_some(), says);
        assert_eq!(again.return_direct, first.return_direct);

        let harness = harness(ScriptedModel::new().text("done"), [tool]);
        let ctx = context(&ledger);
        let mut messages = vec![Message::user("go"), Message::assistant_calls("", calls())];
        harness
            .reconcile_tool_effects(&ctx, "r1", &mut messages)
            .await
            .unwrap();
        let run = harness.invoke_in_context(&(), ctx, messages).await.unwrap();
        assert_eq!(run.stop == StopReason::ReturnDirect, says);
    }
}

#[tokio::test]
async fn a_lost_transcript_is_brought_back_whole_and_twice_is_as_once() {
    let ledger = Arc::default();
    let tool = scan("scan", ToolReplay::Never);
    let model = ScriptedModel::new()
        .calls([
            ("scan", json!({ "page": "1" })),
            ("scan", json!({ "page": "2" })),
        ])
        .text("done")
        .text("done");
    let harness = harness(model, [tool.clone()]);
    let whole = harness
        .invoke_in_context(&(), context(&ledger), vec![Message::user("go")])
        .await
        .unwrap();
    let mut messages = whole.messages[..2].to_vec();
    let ctx = context(&ledger);
    for _ in 0..2 {
        harness
            .reconcile_tool_effects(&ctx, "r1", &mut messages)
            .await
            .unwrap();
        assert_eq!(messages, whole.messages[..5]);
    }
    let run = harness.invoke_in_context(&(), ctx, messages).await.unwrap();
    assert_eq!(run.messages, whole.messages);
    assert_eq!(run.tool_metadata, whole.tool_metadata);
    assert_eq!(tool.runs(), 2);
}

/// The transcript after a crash in which `a` had ended and `b`, which is safe, had not.
async fn interrupted(ledger: &Arc<MemoryLedger>) -> Vec<Message> {
    let calls = vec![page("a", "scan"), page("b", "save")];
    let ended = dispatcher([scan("scan", ToolReplay::Never)]);
    dispatch(&ended, &context(ledger), calls[..1].to_vec()).await;
    let dying = dispatcher([sleeper("save", 1000).policy(policy(ToolReplay::Safe))]);
    let ctx = context(ledger);
    let running = dispatch(&dying, &ctx, calls[1..].to_vec());
    let crashed = tokio::time::timeout(Duration::from_millis(10), running).await;
    assert!(crashed.is_err());
    vec![Message::user("go"), Message::assistant_calls("", calls)]
}

fn followed(messages: &[Message]) -> Vec<&str> {
    let users = messages[2..].iter().filter_map(|message| match message {
        Message::User(user) => Some(user.blocks.iter()),
        _ => None,
    });
    let texts = users.flatten().filter_map(|block| match block {
        ToolContent::Text { text } => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

#[tokio::test(start_paused = true)]
async fn the_follow_up_waits_for_the_calls_that_are_left_to_the_loop() {
    let ledger = Arc::default();
    let mut messages = interrupted(&ledger).await;
    let save = scan("save", ToolReplay::Safe);
    let tools = [scan("scan", ToolReplay::Never), save.clone()];
    let harness = harness(ScriptedModel::new().text("done"), tools);
    for _ in 0..2 {
        harness
            .reconcile_tool_effects(&context(&ledger), "r1", &mut messages)
            .await
            .unwrap();
        assert_eq!(messages.len(), 3, "{messages:?}");
    }
    // In a context of its own: what was answered before is in the ledger.
    let run = harness
        .invoke_in_context(&(), context(&ledger), messages)
        .await
        .unwrap();
    assert_eq!(save.runs(), 1);
    assert_eq!(followed(&run.messages), ["page a", "page b"]);
    assert_eq!(run.messages.len(), 6, "{:?}", run.messages);
    assert_eq!(run.final_text.as_deref(), Some("done"));
}

#[tokio::test(start_paused = true)]
async fn the_follow_up_is_in_call_order_where_an_earlier_call_is_left_to_the_loop() {
    let ledger = Arc::default();
    let mut messages = interrupted(&ledger).await;
    if let Some(Message::Assistant(turn)) = messages.last_mut() {
        turn.tool_calls.reverse();
        turn.tool_calls.push(page("c", "save"));
    }
    let tools = [
        scan("scan", ToolReplay::Never),
        scan("save", ToolReplay::Safe),
    ];
    let harness = harness(ScriptedModel::new().text("done"), tools);
    let ctx = context(&ledger);
    let reconciled = harness.reconcile_tool_effects(&ctx, "r1", &mut messages);
    reconciled.await.unwrap();
    assert_eq!(messages.len(), 3, "{messages:?}");
    let run = harness
        .invoke_in_context(&(), context(&ledger), messages)
        .await
        .unwrap();
    let rows = run.messages[2..5].iter().map(Message::as_tool);
    let rows: Vec<&str> = rows.map(|row| row.unwrap().call_id.as_str()).collect();
    assert_eq!(rows, ["b", "a", "c"]);
    assert_eq!(followed(&run.messages), ["page b", "page a", "page c"]);
    assert_eq!(run.messages.len(), 7, "{:?}", run.messages);
}

#[tokio::test(start_paused = true)]
async fn a_follow_up_that_a_second_crash_came_before_is_brought_back_too() {
    let ledger = Arc::default();
    let mut messages = interrupted(&ledger).await;
    let tools = [
        scan("scan", ToolReplay::Never),
        scan("save", ToolReplay::Safe),
    ];
    let harness = harness(ScriptedModel::new(), tools.clone());
    let ctx = context(&ledger);
    let reconciled = harness.reconcile_tool_effects(&ctx, "r1", &mut messages);
    reconciled.await.unwrap();
    let calls = vec![page("b", "save")];
    dispatch(&dispatcher(tools), &context(&ledger), calls).await;
    let reconciled = harness.reconcile_tool_effects(&ctx, "r1", &mut messages);
    reconciled.await.unwrap();
    assert_eq!(followed(&messages), ["page a", "page b"]);
    assert_eq!(messages.len(), 5, "{messages:?}");
}

#[tokio::test]
async fn a_resumed_run_that_lost_its_end_is_the_same_again() {
    let ledger = Arc::default();
    let model = ScriptedModel::new()
        .calls([
            ("scan", json!({ "page": "1" })),
            ("sign", json!({ "page": "2" })),
        ])
        .text("done")
        .text("done");
    let sign = scan("sign", ToolReplay::Never);
    let sign = sign.policy(policy(ToolReplay::Never).requiring_approval());
    let harness = harness(model, [scan("scan", ToolReplay::Never), sign.clone()]);
    let paused = harness
        .invoke_in_context(&(), context(&ledger), vec![Message::user("go")])
        .await
        .unwrap();
    assert_eq!(followed(&paused.messages), ["page 1"]);
    let resume = || {
        let results = DeferredToolResults::new().approve("call-2");
        harness.resume_deferred(&(), context(&ledger), paused.messages.clone(), results)
    };
    let first = resume().await.unwrap();
    assert_eq!(followed(&first.messages), ["page 1", "page 2"]);
    let again = resume().await.unwrap();
    assert_eq!(again.messages, first.messages);
    assert_eq!(again.tool_metadata, first.tool_metadata);
    assert_eq!(sign.runs(), 1);
}

#[tokio::test]
async fn nothing_that_is_recorded_has_a_redacted_value() {
    const CARD: &str = "4242424242424242";
    let ledger: Arc<MemoryLedger> = Arc::default();
    let mut secret = policy(ToolReplay::Never);
    secret.access.redact = vec!["card".to_owned()];
    let tool = Made::new("pay", |args: Value| async move {
        let card = args["card"].as_str().unwrap_or_default();
        Ok(ToolResult::success(format!("paid by {card}"))
            .with_content(ToolContent::Json {
                json: json!({ card: 1 }),
            })
            .with_follow_up(ToolContent::text(format!("thanks, {card}")))
            .with_metadata(
                json!({ card: { "number": card, "digits": 4_242_424_242_424_242_u64 } }),
            ))
    });
    let dispatcher = dispatcher([tool.policy(secret)]);
    let calls = vec![ToolCall::new("c1", "pay", json!({ "card": CARD }))];
    let batch = dispatch(&dispatcher, &context(&ledger), calls).await;
    assert!(batch.messages[0].content.contains(CARD));
    let rows = ledger.of_call("r1", "c1").await.unwrap();
    let answer = rows[0].answer.as_ref().unwrap();
    assert!(answer.metadata.is_some() && answer.follow_up.len() == 1);
    let recorded = serde_json::to_string(&rows).unwrap();
    assert!(
        recorded.contains("[redacted]") && !recorded.contains(CARD),
        "{recorded}"
    );
}

#[tokio::test]
async fn what_is_recorded_beside_the_row_is_bounded() {
    let ledger: Arc<MemoryLedger> = Arc::default();
    let tool = Made::new("scan", |_| async {
        Ok(ToolResult::success("scanned")
            .with_follow_up(ToolContent::image(vec![7; 200_000], "image/png"))
            .with_follow_up(ToolContent::text("page 1"))
            .with_metadata(json!({ "raw": "x".repeat(200_000) })))
    });
    let dispatcher = dispatcher([tool.policy(policy(ToolReplay::Never))]);
    let calls = || vec![call("c1", "scan")];
    let first = dispatch(&dispatcher, &context(&ledger), calls()).await;
    assert_eq!(first.metadata.len(), 1);
    let rows = ledger.of_call("r1", "c1").await.unwrap();
    assert!(serde_json::to_string(&rows).unwrap().len() < 2_000);
    let answer = rows[0].answer.as_ref().unwrap();
    assert!(answer.omitted_metadata_bytes > Some(200_000));
    let again = dispatch(&dispatcher, &context(&ledger), calls()).await;
    assert!(again.metadata.is_empty());
    // The model reads the same of it, the picture aside.
    assert_eq!(again.follow_up[0].text(), first.follow_up[0].text());
}
