//! What waits for an answer from outside.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Deferral, hash_json};
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
    pub metadata: BTreeMap<String, Value>,
}

impl DeferredToolRequests {
    /// Whether nothing waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty() && self.approvals.is_empty()
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
    /// The final arguments, validated.
    pub arguments: Value,
    /// SHA-256 over the canonical JSON of the arguments.
    pub arguments_hash: String,
    /// SHA-256 over the canonical JSON of the tool's name and schema.
    pub definition_hash: String,
}

impl PendingCall {
    pub(crate) fn new(id: &str, tool: &RegisteredTool, arguments: &Value) -> Self {
        Self {
            id: id.to_owned(),
            name: tool.name().to_owned(),
            arguments: arguments.clone(),
            arguments_hash: hash_json(arguments),
            definition_hash: tool.definition_hash().to_owned(),
        }
    }
}
