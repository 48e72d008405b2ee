//! What a model may read of a failure.

use std::time::Duration;

use tinytools::{InjectionError, ToolError};

use super::machine_paths::without_paths;
use crate::error::TinyAgentsError;
use crate::redaction::Redactor;
use crate::registry::RegisteredTool;

/// A call that was begun and whose end is not known, told by the tool itself: the effect ledger notes it as interrupted.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Interrupted(pub(crate) String);

/// Whether the tool says that it doesn't know how the call ended.
pub(super) fn is_interruption(error: &anyhow::Error) -> bool {
    error
        .chain()
        .any(<dyn std::error::Error>::is::<Interrupted>)
}

/// What an error says.
pub(super) struct Said {
    /// For the model.
    pub(super) text: String,
    /// For the host, where that is more.
    pub(super) detail: Option<String>,
}

/// The error's own `Display` chain, without redacted values: no `Debug`, no backtrace, and nothing of what the host
/// provides. What the tool says in so many words stays as it is; what others say is told to the host alone as far as it
/// speaks of paths.
pub(super) fn said(tool: &RegisteredTool, error: &anyhow::Error, redactor: &Redactor) -> Said {
    // It speaks of hidden names and types.
    if is_injection(error) {
        let text = format!(
            "`{}` could not run: the host is not set up for it",
            tool.shown_name()
        );
        return Said {
            text: redactor.apply(text),
            detail: ToolError::find(error)
                .is_none()
                .then(|| redactor.apply(format!("{error:#}"))),
        };
    }
    let authored = match ToolError::find(error) {
        Some(ToolError::Retry(text) | ToolError::Failed(text)) => Some(text),
        _ => None,
    };
    let (mut text, mut whole) = (String::new(), String::new());
    for cause in error.chain() {
        // These say how the failure is treated; what failed is their source.
        if let Some(ToolError::Transient { .. } | ToolError::Fatal(_)) = cause.downcast_ref() {
            continue;
        }
        let cause = cause.to_string();
        let is_authored = Some(&cause) == authored;
        let cause = redactor.apply(cause);
        // A wrapper often repeats its source.
        if cause.is_empty() || whole.ends_with(&cause) {
            continue;
        }
        if !whole.is_empty() {
            text.push_str(": ");
            whole.push_str(": ");
        }
        whole.push_str(&cause);
        if is_authored {
            text.push_str(&cause);
        } else {
            text.push_str(&without_paths(&cause));
        }
    }
    if whole.is_empty() {
        text = redactor.apply(format!("`{}` failed", tool.shown_name()));
        whole.clone_from(&text);
    }
    let detail = (whole != text).then_some(whole);
    Said { text, detail }
}

/// Whether a hidden value was missing, here or in a run inside the tool.
pub(crate) fn is_injection(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.is::<InjectionError>()
            || matches!(
                cause.downcast_ref(),
                Some(TinyAgentsError::MissingInjection { .. })
            )
    })
}

/// The error itself, out of the runtime's own wrapper for foreign errors, which is transparent and so hides from the
/// chain what it holds.
pub(super) fn unwrapped(mut error: &anyhow::Error) -> &anyhow::Error {
    while let Some(TinyAgentsError::Other(inner)) = error.downcast_ref() {
        error = inner;
    }
    error
}

pub(super) fn timed_out(tool: &RegisteredTool, limit: Duration) -> String {
    let text = format!(
        "`{}` timed out after {} ms",
        tool.shown_name(),
        limit.as_millis()
    );
    with_doubt(tool, text)
}

pub(super) fn deadline(tool: &RegisteredTool) -> String {
    let text = format!(
        "`{}` was stopped: the time of the run is over",
        tool.shown_name()
    );
    with_doubt(tool, text)
}

pub(super) fn cancelled(tool: &RegisteredTool) -> String {
    with_doubt(tool, format!("`{}` was cancelled", tool.shown_name()))
}

pub(super) fn panicked(tool: &RegisteredTool) -> String {
    with_doubt(tool, format!("`{}` failed unexpectedly", tool.shown_name()))
}

/// A hook around the call failed, or was stopped.
pub(super) fn unfinished(tool: &RegisteredTool, has_run: bool) -> String {
    if has_run {
        with_doubt(
            tool,
            format!("`{}` was not brought to its end", tool.name()),
        )
    } else {
        "not run: the host could not check it".to_owned()
    }
}

pub(super) fn broke_its_promise(tool: &RegisteredTool) -> String {
    let text = format!(
        "`{}` gave a result that is not in its declared form; it is not shown",
        tool.name()
    );
    with_doubt(tool, text)
}

/// Says that an interrupted call may have done its work, unless it does none.
fn with_doubt(tool: &RegisteredTool, mut text: String) -> String {
    if !tool.policy().side_effects.read_only {
        text.push_str("; its effect may have happened");
    }
    text
}
