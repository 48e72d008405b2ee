//! The answer as it is recorded, and as it is given back.

use serde_json::Value;

use crate::model::ToolMessage;
use crate::redaction::Redactor;

/// A copy for the ledger: it outlives the run, so it holds no value that must not be logged.
pub(super) fn recorded(row: &ToolMessage, redactor: &Redactor) -> ToolMessage {
    let mut answer = row.clone();
    if redactor.is_empty() {
        return answer;
    }
    answer.content = redactor.apply(answer.content);
    let blocks = answer.blocks.into_iter().filter_map(|block| {
        let mut wire = serde_json::to_value(block).ok()?;
        redact(&mut wire, redactor);
        serde_json::from_value(wire).ok()
    });
    answer.blocks = blocks.collect();
    answer
}

fn redact(value: &mut Value, redactor: &Redactor) {
    match value {
        Value::String(text) => *text = redactor.apply(std::mem::take(text)),
        Value::Array(items) => items.iter_mut().for_each(|item| redact(item, redactor)),
        Value::Object(object) => object
            .iter_mut()
            .filter(|(name, _)| *name != "type")
            .for_each(|(_, value)| redact(value, redactor)),
        _ => {}
    }
}
