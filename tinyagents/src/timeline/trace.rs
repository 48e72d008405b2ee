//! What a run keeps of its calls, to be looked at later.

use std::time::Duration;

use serde_json::Value;

use super::Recorder;
use super::recorder::{Mark, Moment};
use crate::admission::relaxed_json::recover_relaxed_object;
use crate::admission::shown_arguments;
use crate::clip::clip_bytes;
use crate::deferred::DeferredToolRequests;
use crate::discovery::{TOOL_CALL, unwrapped};
use crate::dispatch::{Batch, Turn};
use crate::model::{ToolCall, ToolMessage};
use crate::redaction::{REDACTED, Redactor};
use crate::registry::RegisteredTool;

/// Most bytes that are kept of one call's arguments, and of its result.
const MAX_KEPT: usize = 16 * 1024;

/// The model's requests and the calls of one run, with their times. Neither hidden nor redacted values are in it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trace {
    pub(super) requests: Vec<Span>,
    pub(super) calls: Vec<TracedCall>,
}

/// From when to when, since the run began.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Span {
    pub(super) start: Duration,
    pub(super) end: Duration,
}

/// One call.
#[derive(Clone, Debug)]
pub(super) struct TracedCall {
    pub(super) span: Span,
    pub(super) call_id: String,
    pub(super) tool_name: String,
    pub(super) outcome: CallOutcome,
    pub(super) arguments: String,
    /// What the model read; `None` for a call that has left the loop.
    pub(super) result: Option<String>,
    /// What was done about it between its beginning and its end.
    pub(super) notes: Vec<Note>,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallOutcome {
    Completed,
    Failed,
    Deferred,
    Denied,
}

/// Something that was done about a call.
#[derive(Clone, Debug)]
pub(super) struct Note {
    pub(super) at: Duration,
    pub(super) kind: NoteKind,
    pub(super) text: String,
}

/// Its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoteKind {
    Retry,
    Recovery,
    Deferral,
    Approval,
}

impl Trace {
    /// A request to the model has been answered, or given up.
    pub(crate) fn add_request(&mut self, start: Duration, end: Duration) {
        self.requests.push(Span { start, end });
    }

    /// A batch of these calls has come to its end; a call without a row has left the loop.
    pub(crate) fn add_batch(
        &mut self,
        recorder: &Recorder,
        turn: &Turn,
        calls: &[ToolCall],
        batch: &Batch,
    ) {
        let marks = recorder.take();
        let now = recorder.now();
        for call in calls {
            let own: Vec<&Mark> = marks
                .iter()
                .filter(|mark| mark.call_id == call.id)
                .collect();
            let row = batch.messages.iter().find(|row| row.call_id == call.id);
            let mut traced = TracedCall::new(call, row, now);
            for mark in &own {
                traced.add(mark);
            }
            if let Some(first) = own.first() {
                traced.span.start = first.at;
            }
            // Of a bridged call, the call inside: its arguments are what may have to be kept out.
            let inner = bridged(call);
            let sent = inner.as_ref().unwrap_or(call);
            let sent = (sent.name.as_str(), &sent.arguments);
            let mut last = sent;
            // A run inside the tool may have a call of the same id, but only after this one has begun.
            let started = own.iter().find_map(|mark| mark.started());
            if let Some(started) = started.filter(|(name, _)| *name != TOOL_CALL) {
                last = started;
            }
            let mut requests = batch.deferred.iter().flat_map(DeferredToolRequests::iter);
            if let Some(pending) = requests.find(|pending| pending.id == call.id) {
                last = (&pending.name, &pending.arguments);
            }
            let unsaid = Unsaid::new(turn, sent, last);
            last.0.clone_into(&mut traced.tool_name);
            traced.arguments = unsaid.arguments();
            traced.result = row.map(|row| unsaid.without(row.content.clone()));
            self.calls.push(traced);
        }
    }
}

/// What must not be shown of a call: by the tool that the model asked for, or by the one that it became a call of.
struct Unsaid<'a> {
    tools: Vec<&'a RegisteredTool>,
    /// The arguments that the model sent and those that the call had in the end, under the tools' own names.
    arguments: [Value; 2],
}

impl<'a> Unsaid<'a> {
    fn new(turn: &'a Turn, sent: (&str, &Value), last: (&str, &Value)) -> Self {
        let tools = [sent.0, last.0].into_iter();
        let tools = tools.flat_map(|name| turn.registered(name));
        let arguments = [sent, last].map(|(name, arguments)| {
            let mut arguments = arguments.clone();
            turn.restore_names(name, &mut arguments);
            arguments
        });
        Self {
            tools: tools.collect(),
            arguments,
        }
    }

    fn arguments(&self) -> String {
        let [_, last] = &self.arguments;
        let shown = shown_arguments(self.tools.iter().copied(), last);
        self.without(shown.to_string())
    }

    /// The text without the values of redacted arguments, as much of it as is kept.
    fn without(&self, mut text: String) -> String {
        for tool in &self.tools {
            for arguments in &self.arguments {
                text = Redactor::new(tool, arguments).apply(text);
            }
        }
        clip_bytes(&text, MAX_KEPT)
    }
}

/// The call inside of a bridged one. What can't be read may hold anything, so nothing of it is shown.
fn bridged(call: &ToolCall) -> Option<ToolCall> {
    if call.name != TOOL_CALL {
        return None;
    }
    let mut read = call.clone();
    if let Value::String(text) = &call.arguments
        && let Some(object) = recover_relaxed_object(text)
    {
        read.arguments = object.into();
    }
    Some(unwrapped(&read).unwrap_or_else(|| ToolCall {
        arguments: REDACTED.into(),
        ..read
    }))
}

impl TracedCall {
    fn new(call: &ToolCall, row: Option<&ToolMessage>, now: Duration) -> Self {
        Self {
            span: Span {
                start: now,
                end: now,
            },
            call_id: call.id.clone(),
            tool_name: call.name.clone(),
            outcome: match row {
                None => CallOutcome::Deferred,
                Some(row) if row.is_error => CallOutcome::Failed,
                Some(_) => CallOutcome::Completed,
            },
            arguments: String::new(),
            result: None,
            notes: Vec::new(),
        }
    }

    fn add(&mut self, mark: &Mark) {
        let (kind, text) = match &mark.moment {
            Moment::Started { .. } => return,
            Moment::Ended => {
                self.span.end = mark.at;
                return;
            }
            Moment::Deferred { reason } => {
                self.span.end = mark.at;
                (NoteKind::Deferral, format!("deferred: {reason}"))
            }
            Moment::Approved => (NoteKind::Approval, "approved".to_owned()),
            Moment::Denied => {
                self.outcome = CallOutcome::Denied;
                (NoteKind::Approval, "denied".to_owned())
            }
            Moment::Retried { attempt, delay_ms } => {
                let text = format!("attempt {attempt} failed; another after {delay_ms} ms");
                (NoteKind::Retry, text)
            }
            Moment::Recovered { how } => (NoteKind::Recovery, how.clone()),
        };
        let at = mark.at;
        self.notes.push(Note { at, kind, text });
    }
}
