//! What a model may read of a failure.

use std::time::Duration;

use serde_json::Value;
use tinytools::InjectionError;

use crate::registry::RegisteredTool;

/// What stands in place of a value that must not be repeated.
const REDACTED: &str = "[redacted]";
/// Shorter values are not looked for: they would be found in every text.
const SHORTEST_REDACTED: usize = 3;

/// The error's own `Display` chain: no `Debug`, no backtrace, and nothing of what the host provides.
pub(super) fn error_text(tool: &RegisteredTool, error: &anyhow::Error) -> String {
    // It speaks of hidden names and types.
    if is_injection(error) {
        return format!(
            "`{}` could not run: the host is not set up for it",
            tool.name()
        );
    }
    let mut text = String::new();
    for cause in error.chain() {
        let cause = cause.to_string();
        // A wrapper often repeats its source.
        if cause.is_empty() || text.ends_with(&cause) {
            continue;
        }
        if !text.is_empty() {
            text.push_str(": ");
        }
        text.push_str(&cause);
    }
    if text.is_empty() {
        text = format!("`{}` failed", tool.name());
    }
    text
}

/// Whether a hidden value was missing.
pub(super) fn is_injection(error: &anyhow::Error) -> bool {
    error
        .chain()
        .any(<dyn std::error::Error>::is::<InjectionError>)
}

pub(super) fn timed_out(tool: &RegisteredTool, limit: Duration) -> String {
    let text = format!("`{}` timed out after {} ms", tool.name(), limit.as_millis());
    with_doubt(tool, text)
}

pub(super) fn deadline(tool: &RegisteredTool) -> String {
    let text = format!("`{}` was stopped: the time of the run is over", tool.name());
    with_doubt(tool, text)
}

pub(super) fn cancelled(tool: &RegisteredTool) -> String {
    with_doubt(tool, format!("`{}` was cancelled", tool.name()))
}

pub(super) fn panicked(tool: &RegisteredTool) -> String {
    with_doubt(tool, format!("`{}` failed unexpectedly", tool.name()))
}

/// Says that an interrupted call may have done its work, unless it does none.
fn with_doubt(tool: &RegisteredTool, mut text: String) -> String {
    if !tool.policy().side_effects.read_only {
        text.push_str("; its effect may have happened");
    }
    text
}

/// The values of redacted arguments, to be removed from what an error says.
pub(super) struct Redactor(Vec<String>);

impl Redactor {
    pub(super) fn new(tool: &RegisteredTool, arguments: &Value) -> Self {
        let mut values = Vec::new();
        for name in &tool.policy().access.redact {
            if let Some(value) = arguments.get(name) {
                collect(value, &mut values);
            }
        }
        // A value that is part of another one goes after it, or the rest of the longer one would stay.
        values.sort_unstable_by_key(|value| std::cmp::Reverse(value.len()));
        Self(values)
    }

    pub(super) fn apply(&self, mut text: String) -> String {
        for value in &self.0 {
            if text.contains(value.as_str()) {
                text = text.replace(value.as_str(), REDACTED);
            }
        }
        text
    }
}

fn collect(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::String(text) if text.len() >= SHORTEST_REDACTED => into.push(text.clone()),
        Value::Number(number) => {
            let text = number.to_string();
            if text.len() >= SHORTEST_REDACTED {
                into.push(text);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, into)),
        Value::Object(object) => object.values().for_each(|value| collect(value, into)),
        _ => {}
    }
}
