//! The `malformed_args.jsonl` rows of the shared corpora, through a whole dispatch.

#![allow(missing_docs, clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod lifecycle_support;

use std::{env, fs, path::PathBuf};

use lifecycle_support::{Made, dispatch, dispatcher};
use serde_json::{Value, json};
use tinyagents::runtime::{InvalidArgsPolicy, RunPolicy};
use tinyagents::tinytools::ToolPolicy;
use tinyagents::{RunContext, ToolCall};

fn rows() -> Vec<Value> {
    let Some(folder) = env::var_os("TINYAGENTS_CORPORA") else {
        println!("skipped: TINYAGENTS_CORPORA is not set");
        return Vec::new();
    };
    let path = PathBuf::from(folder).join("malformed_args.jsonl");
    let text = fs::read_to_string(path).expect("a corpus file");
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| serde_json::from_str(line).expect("a JSON row"))
        .collect()
}

/// The arguments that the tool of a row got, if it ran. Without a schema of its own the tool takes any object; it isn't
/// read-only, so that nothing may stand for arguments that are no object.
async fn ran_with(row: &Value, invalid_args: InvalidArgsPolicy) -> Option<Value> {
    let name = row["tool_name"].as_str().unwrap_or("tool").to_owned();
    let schema = row.get("schema").cloned();
    let tool = Made::echo(name.leak())
        .schema(schema.unwrap_or_else(|| json!({ "type": "object" })))
        .policy(ToolPolicy::default());
    let dispatcher = dispatcher([tool.clone()]).with_policy(RunPolicy {
        invalid_args,
        ..RunPolicy::default()
    });
    let raw = row["raw"].as_str().expect("a text");
    let call = ToolCall::from_text("c1", tool.name, raw);
    let batch = dispatch(&dispatcher, &RunContext::new(), vec![call]).await;
    assert_eq!(batch.messages[0].call_id, "c1");
    assert_eq!(tool.runs(), usize::from(!batch.messages[0].is_error));
    (tool.runs() == 1).then(|| serde_json::from_str(&batch.messages[0].content).unwrap())
}

/// Whether the outcome is one that the row allows; refusing is always one where `lenient`.
fn agrees(row: &Value, ran: Option<&Value>, lenient: bool) -> bool {
    let Some(ran) = ran else {
        return lenient || row["verdict"] != "accept";
    };
    let also = row.get("also_ok").and_then(Value::as_array);
    row["verdict"] != "refuse"
        && (*ran == row["expect"] || also.is_some_and(|also| also.contains(ran)))
}

#[tokio::test]
async fn every_row_is_repaired_to_its_object_or_refused_as_it_says() {
    let mut wrong = Vec::new();
    let mut repaired = 0;
    let rows = rows();
    for row in &rows {
        let policy = InvalidArgsPolicy::NormalizeThenReturnToolError;
        let ran = ran_with(row, policy).await;
        repaired += usize::from(ran.is_some());
        if !agrees(row, ran.as_ref(), false) {
            wrong.push(format!("{ran:?}: {row}"));
        }
        let by_default = ran_with(row, InvalidArgsPolicy::default()).await;
        if !agrees(row, by_default.as_ref(), true) || (by_default.is_some() && by_default != ran) {
            wrong.push(format!("by default {by_default:?}: {row}"));
        }
    }
    println!("{} rows, {repaired} ran", rows.len());
    assert!(
        wrong.is_empty(),
        "{} disagree:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
