//! A person's word for one call.

use serde_json::Value;

use super::{PendingCall, hash_json};
use crate::registry::RegisteredTool;

/// A person's word for one call: this tool, as it was defined, with these arguments and no others.
#[derive(Clone, Debug)]
pub(crate) struct Approval {
    tool_name: String,
    arguments_hash: String,
    definition_hash: String,
}

impl Approval {
    /// Whether it is this that was approved.
    pub(crate) fn covers(&self, tool: &RegisteredTool, arguments: &Value) -> bool {
        self.tool_name == tool.name()
            && self.definition_hash == tool.definition_hash()
            && self.arguments_hash == hash_json(arguments)
    }
}

/// A call that was approved, on its way into admission.
#[derive(Clone, Debug)]
pub(crate) struct ApprovedCall {
    /// The tool's canonical name.
    pub(crate) name: String,
    /// The name that a model knows it by.
    pub(crate) shown_name: String,
    /// The arguments, as they were approved.
    pub(crate) arguments: Value,
    pub(crate) approval: Approval,
}

impl ApprovedCall {
    /// The pending call as it is, or with the arguments that the approver put in place of its own.
    pub(crate) fn new(pending: &PendingCall, edited: Option<Value>) -> Self {
        let (arguments, arguments_hash) = match edited {
            Some(edited) => {
                let hash = hash_json(&edited);
                (edited, hash)
            }
            None => (pending.arguments.clone(), pending.arguments_hash.clone()),
        };
        Self {
            name: pending.name.clone(),
            shown_name: pending.told_name().to_owned(),
            arguments,
            approval: Approval {
                tool_name: pending.name.clone(),
                arguments_hash,
                definition_hash: pending.definition_hash.clone(),
            },
        }
    }
}
