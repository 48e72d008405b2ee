//! From answers to calls that can go on.

use std::collections::{HashMap, HashSet};

use tinytools::ToolResult;

use super::results::Reply;
use super::{
    ApprovedCall, DeferredCallResult, DeferredResultsError, DeferredToolRequests,
    DeferredToolResults, PendingCall, ToolApprovalDecision, hash_json,
};
use crate::error::TinyAgentsError;
use crate::model::ToolCall;

/// A call that waited, and what it goes on with.
#[derive(Clone, Debug)]
pub(crate) struct Resolved {
    pub(crate) pending: PendingCall,
    pub(crate) outcome: Outcome,
}

impl Resolved {
    /// The call as it goes on: under its tool's name, with the arguments that were approved.
    pub(crate) fn as_call(&self) -> ToolCall {
        let arguments = match &self.outcome {
            Outcome::Approved(approved) => &approved.arguments,
            _ => &self.pending.arguments,
        };
        ToolCall::new(&self.pending.id, &self.pending.name, arguments.clone())
    }
}

/// What a call goes on with.
#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    /// It runs, if admission lets it.
    Approved(ApprovedCall),
    /// It is answered with a refusal.
    Denied(String),
    /// It is answered with what the host found.
    Returned(ToolResult),
    /// The model has to correct it.
    Retry(String),
}

/// Whether each call must have its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coverage {
    All,
    Some,
}

/// Matches answers and calls, in call order. `answered` are the ids that have a row already.
///
/// Everything is looked at before anything is done, so that one error tells all there is to mend.
pub(crate) fn resolve(
    requests: &DeferredToolRequests,
    answered: &HashSet<&str>,
    results: DeferredToolResults,
    coverage: Coverage,
) -> Result<Vec<Resolved>, TinyAgentsError> {
    check(requests)?;
    let mut waiting: HashMap<&str, (&PendingCall, bool)> = HashMap::new();
    for (list, is_approval) in [(&requests.calls, false), (&requests.approvals, true)] {
        for pending in list.iter().filter(|call| !answered.contains(&*call.id)) {
            waiting.insert(&pending.id, (pending, is_approval));
        }
    }
    let mut faults = DeferredResultsError::default();
    let mut seen = HashSet::new();
    let mut resolved = Vec::with_capacity(waiting.len());
    for answer in results.into_answers() {
        if !seen.insert(answer.id.clone()) {
            if !faults.duplicate.contains(&answer.id) {
                faults.duplicate.push(answer.id);
            }
            continue;
        }
        let Some((pending, is_approval)) = waiting.remove(&*answer.id) else {
            if answered.contains(&*answer.id) {
                faults.answered.push(answer.id);
            } else {
                faults.unknown.push(answer.id);
            }
            continue;
        };
        let Some(outcome) = outcome(pending, is_approval, answer.answer) else {
            faults.not_approvable.push(answer.id);
            continue;
        };
        resolved.push(Resolved {
            pending: pending.clone(),
            outcome,
        });
    }
    if coverage == Coverage::All {
        let mut missing: Vec<&PendingCall> = waiting.into_values().map(|(call, _)| call).collect();
        missing.sort_by_key(|call| call.position);
        faults.missing = missing.into_iter().map(|call| call.id.clone()).collect();
    }
    if !faults.is_empty() {
        return Err(faults.into());
    }
    resolved.sort_by_key(|call| call.pending.position);
    Ok(resolved)
}

/// What is asked must be what was deferred.
fn check(requests: &DeferredToolRequests) -> Result<(), TinyAgentsError> {
    let mut seen = HashSet::new();
    for pending in requests.iter() {
        if !seen.insert(pending.id.as_str()) {
            return Err(TinyAgentsError::Validation(format!(
                "the deferred requests hold call `{}` twice",
                pending.id
            )));
        }
        if hash_json(&pending.arguments) != pending.arguments_hash {
            return Err(TinyAgentsError::Validation(format!(
                "the arguments of deferred call `{}` are not those that it was deferred with",
                pending.id
            )));
        }
    }
    Ok(())
}

/// `None` for an approval of a call that can't be approved.
fn outcome(pending: &PendingCall, is_approval: bool, reply: Reply) -> Option<Outcome> {
    Some(match reply {
        Reply::Approval(ToolApprovalDecision::Approve) if is_approval => {
            Outcome::Approved(ApprovedCall::new(pending, None))
        }
        Reply::Approval(ToolApprovalDecision::ApproveWithArgs(arguments)) if is_approval => {
            Outcome::Approved(ApprovedCall::new(pending, Some(arguments)))
        }
        Reply::Approval(ToolApprovalDecision::Deny { message }) => Outcome::Denied(message),
        Reply::Approval(_) => return None,
        Reply::Call(DeferredCallResult::Result(result)) => Outcome::Returned(result),
        Reply::Call(DeferredCallResult::Retry(message)) => Outcome::Retry(message),
        Reply::Call(DeferredCallResult::Failed(message)) => {
            Outcome::Returned(ToolResult::error(message))
        }
    })
}
