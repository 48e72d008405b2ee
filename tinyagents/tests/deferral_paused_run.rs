//! A paused run that another process reads back.

#![allow(missing_docs, clippy::unwrap_used)]

mod deferral_support;
mod lifecycle_support;

use deferral_support::{pay, resume, rows};
use lifecycle_support::{go, harness};
use serde_json::{Value, json};
use tinyagents::model::{Message, ScriptedModel};
use tinyagents::{PausedRun, RunContext};

async fn paused() -> PausedRun {
    let mut harness = harness(ScriptedModel::new().call("pay", json!({ "to": "ada" })), []);
    harness.register_tool(pay()).unwrap();
    let ctx = RunContext::new().with_run_id("r1").with_thread_id("t1");
    let messages = vec![Message::user("go")];
    let run = harness.invoke_in_context(&(), ctx, messages).await.unwrap();
    PausedRun::of(&run).unwrap()
}

#[tokio::test]
async fn a_later_process_resumes_under_the_same_ids() {
    let text = serde_json::to_string(&paused().await).unwrap();
    let read: PausedRun = serde_json::from_str(&text).unwrap();
    assert_eq!(read, paused().await);
    let tool = pay();
    let mut harness = harness(ScriptedModel::new().text("done"), []);
    harness.register_tool(tool.clone()).unwrap();
    let ctx = read.context();
    assert_eq!(ctx.run_id(), "r1");
    assert_eq!(ctx.thread_id().unwrap(), "t1");
    let results = read.requests().approve_all();
    let run = resume(&harness, ctx, read.messages, results).await.unwrap();
    assert_eq!(rows(&run)[0].1, "paid {\"to\":\"ada\"} true");
    assert!(PausedRun::of(&run).is_none());
}

#[tokio::test]
async fn the_form_says_its_version_and_a_newer_one_is_refused_by_name() {
    let mut wire = serde_json::to_value(paused().await).unwrap();
    assert_eq!(wire["version"], 1);
    assert_eq!(wire["run_id"], "r1");
    for (version, messages) in [
        (2, wire["messages"].clone()),
        (7, json!({ "form": "new" })),
        (0, json!([])),
    ] {
        wire["version"] = json!(version);
        wire["messages"] = messages;
        let error = serde_json::from_value::<PausedRun>(wire.clone()).unwrap_err();
        let expected =
            format!("a paused run of version {version}; this version of tinyagents reads 1 to 1");
        assert_eq!(error.to_string(), expected);
    }
    wire.as_object_mut().unwrap().remove("version");
    let error = serde_json::from_value::<PausedRun>(wire).unwrap_err();
    assert!(error.to_string().contains("version"), "{error}");
}

#[tokio::test]
async fn fields_of_a_later_minor_form_are_ignored() {
    let mut wire = serde_json::to_value(paused().await).unwrap();
    wire["mood"] = Value::from("good");
    let read: PausedRun = serde_json::from_value(wire).unwrap();
    assert_eq!(read, paused().await);
}

#[tokio::test]
async fn a_run_that_has_finished_is_not_paused() {
    let run = go(&harness(ScriptedModel::new().text("done"), [])).await;
    assert!(PausedRun::of(&run).is_none());
}
