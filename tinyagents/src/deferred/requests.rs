//! What waits for an answer from outside.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Deferral, DeferredToolResults, hash_json};
use crate::model::ToolCall;
use crate::registry::RegisteredTool;

/// The calls of one batch that wait for an answer from outside.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct DeferredToolRequests {
    /// Calls whose result the host finds elsewhere.
    pub calls: Vec<PendingCall>,
    /// Calls that run here once a person has approved them.
    pub approvals: Vec<PendingCall>,
    /// What the tool or a middleware had to say of a call, by the call's id; host only.
    #[serde(with = "crate::model::deep_json")]
    pub metadata: BTreeMap<String, Value>,
}

impl DeferredToolRequests {
    /// Whether nothing waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty() && self.approvals.is_empty()
    }

    /// What the results don't answer.
    #[must_use]
    pub fn remaining(&self, results: &DeferredToolResults) -> Self {
        let mut remaining = self.clone();
        remaining.retain(|call| !results.contains(&call.id));
        remaining
    }

    /// An approval of each call that waits for one, as it is.
    #[must_use]
    pub fn approve_all(&self) -> DeferredToolResults {
        let calls = self.approvals.iter();
        calls.fold(DeferredToolResults::new(), |results, call| {
            results.approve(&call.id)
        })
    }

    /// Every call that waits, for whatever it does.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &PendingCall> {
        self.calls.iter().chain(&self.approvals)
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut PendingCall> {
        self.calls.iter_mut().chain(&mut self.approvals)
    }

    /// Keeps these calls, and what is known of them.
    pub(crate) fn retain(&mut self, mut keeps: impl FnMut(&PendingCall) -> bool) {
        self.calls.retain(&mut keeps);
        self.approvals.retain(&mut keeps);
        let mut metadata = std::mem::take(&mut self.metadata);
        let kept = self
            .iter()
            .filter_map(|call| metadata.remove_entry(&call.id));
        let kept: BTreeMap<String, Value> = kept.collect();
        self.metadata = kept;
    }

    /// Adds the calls of others that wait, in call order.
    pub(crate) fn merge(&mut self, others: Self) {
        self.calls.extend(others.calls);
        self.approvals.extend(others.approvals);
        self.metadata.extend(others.metadata);
        for list in [&mut self.calls, &mut self.approvals] {
            list.sort_by_key(|call| call.position);
        }
    }

    /// Notes where each call stands in its turn, and what the model made of it.
    pub(crate) fn note_requested(&mut self, calls: &[ToolCall]) {
        for pending in self.iter_mut() {
            let made = calls
                .iter()
                .enumerate()
                .find(|(_, call)| call.id == pending.id);
            if let Some((position, call)) = made {
                pending.position = position;
                pending.requested_name.clone_from(&call.name);
                pending.requested_hash = hash_json(&call.arguments);
            }
        }
    }

    /// The same for calls that had been deferred before.
    pub(crate) fn note_again(&mut self, before: &[PendingCall]) {
        for pending in self.iter_mut() {
            if let Some(before) = before.iter().find(|before| before.id == pending.id) {
                pending.position = before.position;
                pending.requested_name.clone_from(&before.requested_name);
                pending.requested_hash.clone_from(&before.requested_hash);
            }
        }
    }

    /// Whether it is this one call that was made, with these arguments.
    #[cfg(feature = "mcp")]
    pub(crate) fn is_about(&self, name: &str, arguments: &Value) -> bool {
        let hash = hash_json(arguments);
        let mut calls = self.iter();
        calls.all(|call| call.requested_name == name && call.requested_hash == hash)
    }

    /// Adds a call, on the list that its deferral is for.
    pub(crate) fn add(&mut self, pending: PendingCall, deferral: Deferral) {
        if let Some(metadata) = deferral.metadata {
            self.metadata.insert(pending.id.clone(), metadata);
        }
        let list = if deferral.needs_approval {
            &mut self.approvals
        } else {
            &mut self.calls
        };
        list.push(pending);
    }
}

/// One call that waits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PendingCall {
    /// The call's id.
    pub id: String,
    /// The tool's canonical name.
    pub name: String,
    /// The name that a model knows the tool by, which no other tool has; several may have one canonical name. Empty in
    /// requests that a version without it has written.
    #[serde(default)]
    pub shown_name: String,
    /// The final arguments, validated; written as those of a [`ToolCall`].
    #[serde(with = "crate::model::deep_json")]
    pub arguments: Value,
    /// SHA-256 over the canonical JSON of the arguments.
    pub arguments_hash: String,
    /// SHA-256 over the canonical JSON of the tool's name, description and schema, and of what a toolset had put in their
    /// place.
    pub definition_hash: String,
    /// The name that the model used.
    pub requested_name: String,
    /// SHA-256 over the canonical JSON of the arguments that the model gave.
    pub requested_hash: String,
    /// Where the call stands among those of its turn, from 0.
    pub position: usize,
}

impl PendingCall {
    pub(crate) fn new(id: &str, tool: &RegisteredTool, arguments: &Value) -> Self {
        Self {
            id: id.to_owned(),
            name: tool.name().to_owned(),
            shown_name: tool.shown_name().to_owned(),
            arguments: arguments.clone(),
            arguments_hash: hash_json(arguments),
            definition_hash: tool.definition_hash().to_owned(),
            requested_name: String::new(),
            requested_hash: String::new(),
            position: 0,
        }
    }

    /// The name that a model knows the tool by, as well as it is known.
    pub(crate) fn told_name(&self) -> &str {
        if self.shown_name.is_empty() {
            return &self.requested_name;
        }
        &self.shown_name
    }

    /// The call under the name that the model used, with the arguments that it was deferred with.
    pub(crate) fn as_requested(&self) -> ToolCall {
        ToolCall::new(&self.id, &self.requested_name, self.arguments.clone())
    }

    /// Whether the model made the call that this one is of.
    pub(crate) fn is_of(&self, call: &ToolCall) -> bool {
        self.id == call.id
            && self.requested_name == call.name
            && self.requested_hash == hash_json(&call.arguments)
    }
}
