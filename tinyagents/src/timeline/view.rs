//! A run, to be looked at.

use std::time::Duration;

use super::trace::{CallOutcome, NoteKind, Span, Trace, TracedCall};
use crate::harness::{AgentRun, StopReason};

/// A run, to be looked at: its `Display` is text for a log, [`to_html`](Self::to_html) a page for a bug report.
///
/// It shows the requests to the model and the tool calls of this run on its own time, with arguments and results, each
/// cut at 16 KiB. Values of hidden parameters and of arguments that a policy redacts are not in it; everything else that
/// the model read is.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), tinyagents::TinyAgentsError> {
/// use tinyagents::{AgentHarness, Message, ScriptedModel};
///
/// let mut harness: AgentHarness<()> = AgentHarness::new();
/// harness.with_model(ScriptedModel::new().text("Hello."));
/// let run = harness.invoke(&(), vec![Message::user("go")]).await?;
/// println!("{}", run.timeline());
/// assert!(run.timeline().to_html().starts_with("<!DOCTYPE html>"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Timeline<'a> {
    pub(super) run: &'a AgentRun,
}

impl AgentRun {
    /// The run, to be looked at.
    #[must_use]
    pub fn timeline(&self) -> Timeline<'_> {
        Timeline { run: self }
    }
}

impl<'a> Timeline<'a> {
    pub(super) fn trace(self) -> &'a Trace {
        &self.run.trace
    }

    /// Its requests, and its calls, in the order in which they began.
    pub(super) fn lines(self) -> Vec<(Span, Option<&'a TracedCall>)> {
        let requests = self.trace().requests.iter().map(|span| (*span, None));
        let calls = self.trace().calls.iter();
        let calls = calls.map(|call| (call.span, Some(call)));
        let mut lines: Vec<_> = requests.chain(calls).collect();
        lines.sort_by_key(|(span, _)| span.start);
        lines
    }

    /// When the last thing ended.
    pub(super) fn end(self) -> Duration {
        let calls = self.trace().calls.iter().map(|call| call.span.end);
        let requests = self.trace().requests.iter().map(|span| span.end);
        calls.chain(requests).max().unwrap_or_default()
    }

    /// One line on the whole run.
    pub(super) fn summary(self) -> String {
        let run = self.run;
        let id = run.run_id.as_ref().map_or("run", |id| id.as_str());
        format!(
            "{id}: {}; {} model calls, {} tool calls, {} ms; {} tokens read, {} written",
            stop_text(&run.stop),
            self.trace().requests.len(),
            self.trace().calls.len(),
            self.end().as_millis(),
            run.usage.input_tokens,
            run.usage.output_tokens,
        )
    }
}

fn stop_text(stop: &StopReason) -> String {
    match stop {
        StopReason::Finished => "finished".to_owned(),
        StopReason::Deferred => "paused for deferred calls".to_owned(),
        StopReason::ReturnDirect => "ended with a tool's result".to_owned(),
        StopReason::Cancelled => "cancelled".to_owned(),
        StopReason::Deadline => "out of time".to_owned(),
        StopReason::Limit(limit) => format!("limit {limit}"),
        StopReason::Fatal(text) => format!("fatal failure: {text}"),
        StopReason::Middleware(text) => format!("ended by {text}"),
    }
}

impl CallOutcome {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Deferred => "deferred",
            Self::Denied => "denied",
        }
    }
}

impl NoteKind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Retry => "retry",
            Self::Recovery => "recovery",
            Self::Deferral => "deferral",
            Self::Approval => "approval",
        }
    }
}
