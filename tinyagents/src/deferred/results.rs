//! What the host brings back for the calls that waited.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tinytools::ToolResult;

/// What a person says of a call that waits for approval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ToolApprovalDecision {
    /// It runs as it was asked for.
    Approve,
    /// It runs with these arguments instead, which are checked as any others.
    #[serde(with = "crate::model::deep_json")]
    ApproveWithArgs(Value),
    /// It doesn't run.
    Deny {
        /// What the model is told.
        message: String,
    },
}

/// What became of a call elsewhere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DeferredCallResult {
    /// It has this result.
    #[serde(with = "crate::model::deep_json")]
    Result(ToolResult),
    /// The model should correct its call; the text is for it.
    Retry(String),
    /// It failed; the text is for the model.
    Failed(String),
}

/// The answers to [`DeferredToolRequests`](super::DeferredToolRequests), collected by id. It serialises.
///
/// ```
/// use serde_json::json;
/// use tinyagents::{DeferredToolResults, ToolResult};
///
/// let results = DeferredToolResults::new()
///     .approve("call-1")
///     .approve_with_args("call-2", json!({ "path": "x" }))
///     .deny("call-3", "operator refused")
///     .respond("call-4", ToolResult::success("done"));
/// assert!(results.contains("call-4") && !results.contains("call-5"));
/// ```
///
/// An id that is answered twice is refused when the run is resumed, not here.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DeferredToolResults {
    answers: Vec<Answer>,
}

/// The answer to one call. A list of them, and no map: what was answered twice must still be seen on resume.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Answer {
    pub(super) id: String,
    pub(super) answer: Reply,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Reply {
    Approval(ToolApprovalDecision),
    Call(DeferredCallResult),
}

impl DeferredToolResults {
    /// No answers yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets the call run as it was asked for.
    #[must_use]
    pub fn approve(self, id: impl Into<String>) -> Self {
        self.decide(id, ToolApprovalDecision::Approve)
    }

    /// Lets the call run with these arguments instead.
    #[must_use]
    pub fn approve_with_args(self, id: impl Into<String>, arguments: Value) -> Self {
        self.decide(id, ToolApprovalDecision::ApproveWithArgs(arguments))
    }

    /// Refuses the call; the model is told the message.
    #[must_use]
    pub fn deny(self, id: impl Into<String>, message: impl Into<String>) -> Self {
        let message = message.into();
        self.decide(id, ToolApprovalDecision::Deny { message })
    }

    /// Answers the call with a result.
    #[must_use]
    pub fn respond(self, id: impl Into<String>, result: ToolResult) -> Self {
        self.answer(id, DeferredCallResult::Result(result))
    }

    /// Asks the model to correct its call; it counts towards
    /// [`max_corrections`](crate::runtime::RunPolicy::max_corrections).
    #[must_use]
    pub fn retry(self, id: impl Into<String>, message: impl Into<String>) -> Self {
        self.answer(id, DeferredCallResult::Retry(message.into()))
    }

    /// Tells the model that the call failed.
    #[must_use]
    pub fn fail(self, id: impl Into<String>, message: impl Into<String>) -> Self {
        self.answer(id, DeferredCallResult::Failed(message.into()))
    }

    /// Adds a person's decision.
    #[must_use]
    pub fn decide(self, id: impl Into<String>, decision: ToolApprovalDecision) -> Self {
        self.with(id, Reply::Approval(decision))
    }

    /// Adds what became of a call elsewhere.
    #[must_use]
    pub fn answer(self, id: impl Into<String>, result: DeferredCallResult) -> Self {
        self.with(id, Reply::Call(result))
    }

    /// Whether there is an answer for this call.
    #[must_use]
    pub fn contains(&self, id: impl AsRef<str>) -> bool {
        self.answers.iter().any(|answer| answer.id == id.as_ref())
    }

    /// Whether there is no answer at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.answers.is_empty()
    }

    fn with(mut self, id: impl Into<String>, answer: Reply) -> Self {
        let id = id.into();
        self.answers.push(Answer { id, answer });
        self
    }

    /// Without those whose call has its answer from elsewhere.
    pub(crate) fn retain(&mut self, mut keep: impl FnMut(&str) -> bool) {
        self.answers.retain(|answer| keep(&answer.id));
    }

    pub(super) fn into_answers(self) -> Vec<Answer> {
        self.answers
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_answer_has_its_wire_form() {
        let results = DeferredToolResults::new()
            .approve("a")
            .approve_with_args("b", json!({ "x": 1 }))
            .deny("c", "no")
            .respond("d", ToolResult::success("done"))
            .retry("e", "an ISO date")
            .fail("f", "no line")
            .approve("a");
        let wire = serde_json::to_value(&results).unwrap();
        assert_eq!(
            wire,
            json!({ "answers": [
                { "id": "a", "answer": { "approval": "approve" } },
                { "id": "b", "answer": { "approval": { "approve_with_args": { "x": 1 } } } },
                { "id": "c", "answer": { "approval": { "deny": { "message": "no" } } } },
                { "id": "d", "answer": { "call": { "result": {
                    "content": [{ "type": "text", "text": "done" }], "is_error": false
                } } } },
                { "id": "e", "answer": { "call": { "retry": "an ISO date" } } },
                { "id": "f", "answer": { "call": { "failed": "no line" } } },
                { "id": "a", "answer": { "approval": "approve" } },
            ] })
        );
        let read: DeferredToolResults = serde_json::from_value(wire).unwrap();
        assert_eq!(read, results);
    }
}
