//! The `text_calls` rows of the shared corpora, whole and in pieces.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

use std::{env, fs, path::PathBuf};

use serde_json::{Value, json};
use tinyagents::dialect::{ParsedText, StreamScrubber, parse_calls};
use tinyagents::{ToolCall, ToolSchema};

#[test]
fn every_row_agrees_with_its_verdict() {
    let Some(root) = env::var_os("TINYAGENTS_CORPORA").map(PathBuf::from) else {
        eprintln!("skipped: TINYAGENTS_CORPORA is not set");
        return;
    };
    let text = fs::read_to_string(root.join("text_calls.jsonl")).unwrap();
    let mut faults = Vec::new();
    let mut rows = 0;
    for line in text.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        rows += 1;
        let schemas: Vec<ToolSchema> = row["tools"]
            .as_array()
            .unwrap()
            .iter()
            .map(|tool| {
                let name = tool["name"].as_str().unwrap();
                ToolSchema::new(name, "", tool["input_schema"].clone())
            })
            .collect();
        let text = row["text"].as_str().unwrap();
        let parsed = parse_calls(text, &schemas);
        for size in [1, 3, 7] {
            let pieces = streamed(text, &schemas, size);
            if pieces != parsed {
                faults.push(format!(
                    "{} in pieces of {size}: {pieces:?}\n  whole: {parsed:?}",
                    row["id"]
                ));
            }
        }
        if let Some(fault) = disagreement(&row, &parsed) {
            faults.push(format!(
                "{} ({}): {fault}\n  text: {text:?}\n  got: {parsed:?}",
                row["id"], row["format"]
            ));
        }
    }
    assert!(rows > 100, "{rows}");
    assert!(
        faults.is_empty(),
        "{} of {rows}:\n{}",
        faults.len(),
        faults.join("\n")
    );
}

fn streamed(text: &str, schemas: &[ToolSchema], size: usize) -> ParsedText {
    let mut scrubber = StreamScrubber::new(schemas);
    let mut parsed = ParsedText::default();
    for piece in text.as_bytes().chunks(size) {
        parsed.push(scrubber.push_bytes(piece));
    }
    parsed.push(scrubber.finish());
    parsed.trimmed()
}

fn disagreement(row: &Value, parsed: &ParsedText) -> Option<String> {
    let shape = |call: &ToolCall| json!({ "name": call.name, "arguments": call.arguments });
    let good: Vec<Value> = parsed
        .calls
        .iter()
        .filter(|call| call.invalid.is_none())
        .map(shape)
        .collect();
    let has_error = parsed.calls.iter().any(|call| call.invalid.is_some());
    let good = Value::Array(good);
    let also = row["also_ok_calls"].as_array().cloned().unwrap_or_default();
    let expected = &row["expect_calls"];
    let agrees = match row["verdict"].as_str().unwrap() {
        "calls" => (good == *expected && !has_error) || also.contains(&good),
        "no_call" => good == json!([]) || also.contains(&good),
        "calls_or_error" => good == *expected || has_error || also.contains(&good),
        other => panic!("unknown verdict {other}"),
    };
    if !agrees {
        return Some(format!("expected {expected}"));
    }
    if let Some(text) = row["expect_text"].as_str()
        && good == *expected
        && !has_error
        && parsed.text.trim() != text.trim()
    {
        let also = row["text_also_ok"].as_array().cloned().unwrap_or_default();
        if !also.iter().any(|also| also.as_str() == Some(&parsed.text)) {
            return Some(format!("expected the text {text:?}"));
        }
    }
    if let Some(reasoning) = row["expect_reasoning"].as_str()
        && parsed.reasoning.trim() != reasoning.trim()
    {
        return Some(format!("expected the reasoning {reasoning:?}"));
    }
    if let Some(ids) = row["expect_ids"].as_array() {
        let found: Vec<Value> = parsed.calls.iter().map(|call| json!(call.id)).collect();
        if found != *ids {
            return Some(format!("expected the ids {ids:?}"));
        }
    }
    None
}
