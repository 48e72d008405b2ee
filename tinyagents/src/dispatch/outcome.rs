//! What the model and the host are told of a call's last attempt.

use std::panic::{AssertUnwindSafe, catch_unwind};

use tinytools::{ToolError, ToolErrorClass};

use super::attempt::{Attempt, panic_text};
use super::execution::Execution;
use super::failure::Said;
use super::{RunMeter, failure, structured};
use crate::deferred::Deferral;
use crate::error::TinyAgentsError;
use crate::harness::{RunPolicy, StopReason};
use crate::mask::Mask as _;
use crate::redaction::Redactor;
use crate::registry::RegisteredTool;

/// Turns the end of the last attempt into what the model and the host are told.
pub(super) fn conclude(
    tool: &RegisteredTool,
    ended: Attempt,
    redactor: &Redactor,
    policy: &RunPolicy,
    meter: &RunMeter,
    execution: &mut Execution,
) -> Option<Deferral> {
    execution.is_interrupted = !matches!(ended, Attempt::Returned | Attempt::Failed(_));
    match ended {
        Attempt::Returned => {
            if execution.result.is_error {
                redactor.result(&mut execution.result);
            } else if let Err(detail) = structured::check(tool, &mut execution.result) {
                let text = redactor.apply(failure::broke_its_promise(tool));
                let detail = redactor.apply(detail);
                execution.fail(text, ToolErrorClass::Hard, Some(detail));
            }
        }
        Attempt::Panicked(payload) => fail_for_panic(tool, &payload, redactor, execution),
        Attempt::TimedOut(limit) => {
            let text = redactor.apply(failure::timed_out(tool, limit));
            execution.fail(text, ToolErrorClass::Retryable, None);
        }
        Attempt::Deadline => {
            let text = redactor.apply(failure::deadline(tool));
            execution.fail(text, ToolErrorClass::Hard, None);
            execution.stop = Some(StopReason::Deadline);
        }
        Attempt::Cancelled => {
            let text = redactor.apply(failure::cancelled(tool));
            execution.fail(text, ToolErrorClass::Hard, None);
            execution.stop = Some(StopReason::Cancelled);
        }
        Attempt::Failed(error) => {
            // The error's `Display` and `Drop` are the author's code as well.
            let concluded = catch_unwind(AssertUnwindSafe(|| {
                let inner = failure::unwrapped(&error);
                execution.is_interrupted = failure::is_interruption(inner);
                let deferral = conclude_failed(tool, inner, redactor, policy, meter, execution);
                drop(error);
                deferral
            }));
            match concluded {
                Ok(deferral) => return deferral,
                Err(payload) => {
                    *execution = Execution::default();
                    let payload = panic_text(payload.as_ref());
                    fail_for_panic(tool, &payload, redactor, execution);
                }
            }
        }
    }
    None
}

fn fail_for_panic(
    tool: &RegisteredTool,
    payload: &str,
    redactor: &Redactor,
    execution: &mut Execution,
) {
    let detail = redactor.apply(format!("panicked: {payload}"));
    let text = redactor.apply(failure::panicked(tool));
    execution.fail(text, ToolErrorClass::Hard, Some(detail));
}

/// The same for an attempt that ended with an error.
fn conclude_failed(
    tool: &RegisteredTool,
    error: &anyhow::Error,
    redactor: &Redactor,
    policy: &RunPolicy,
    meter: &RunMeter,
    execution: &mut Execution,
) -> Option<Deferral> {
    // What the tool says of itself comes before anything that could be guessed from the error.
    if let Some(deferral) = deferral(error) {
        return Some(deferral);
    }
    let Said { mut text, detail } = failure::said(tool, error, redactor);
    let said = ToolError::find(error);
    let class = said.map_or(Some(ToolErrorClass::Retryable), ToolError::class);
    let mut class = class.unwrap_or(ToolErrorClass::Repairable);
    match said {
        Some(ToolError::Retry(_))
            if !meter.count_correction(tool.name(), policy.max_corrections) =>
        {
            text = format!("{text}; do not call `{}` for this again", tool.shown_name());
        }
        Some(ToolError::Fatal(_)) => {
            let told = detail.as_ref().unwrap_or(&text);
            execution.stop = Some(StopReason::Fatal(told.clone()));
        }
        None if failure::is_injection(error) => class = ToolErrorClass::Hard,
        _ => {}
    }
    execution.fail(text, class, detail);
    None
}

/// The tool's or the runtime's own word for a call that leaves the loop.
fn deferral(error: &anyhow::Error) -> Option<Deferral> {
    match ToolError::find(error) {
        Some(ToolError::ApprovalRequired { metadata }) => {
            return Some(Deferral::approval(metadata.clone()));
        }
        Some(ToolError::CallDeferred { metadata }) => {
            return Some(Deferral::elsewhere(metadata.clone()));
        }
        Some(_) => return None,
        None => {}
    }
    error.chain().find_map(|cause| match cause.downcast_ref()? {
        TinyAgentsError::ApprovalRequired { metadata } => {
            Some(Deferral::approval(metadata.clone()))
        }
        TinyAgentsError::CallDeferred { metadata } => Some(Deferral::elsewhere(metadata.clone())),
        _ => None,
    })
}
