//! Which definitions a host has accepted.

use std::collections::BTreeMap;

use super::definition::Definition;

/// A tool whose definition is not the accepted one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct McpChange {
    /// The tool's canonical name.
    pub tool: String,
    /// The hash of the definition that was accepted; `None` where there was none.
    pub accepted: Option<String>,
    /// The hash of the definition that the server gives now.
    pub current: String,
}

/// Hashes of the accepted definitions, by canonical name: a name that passes to another tool of the server is a change
/// as well.
#[derive(Debug, Default)]
pub(super) struct Pins {
    accepted: BTreeMap<String, String>,
    /// The host has said which tools there are; what is new is not accepted then.
    is_given: bool,
}

impl Pins {
    pub(super) fn given(accepted: BTreeMap<String, String>) -> Self {
        Self {
            accepted,
            is_given: true,
        }
    }

    /// Accepts the definition of a tool that was never seen, unless the host has said which there are; what keeps it from
    /// being accepted otherwise.
    pub(super) fn check(&mut self, definition: &Definition) -> Option<McpChange> {
        let name = definition.name.as_str();
        let accepted = self.accepted.get(name);
        if accepted.is_none() && !self.is_given {
            self.accept(definition);
            return None;
        }
        (accepted != Some(&definition.hash)).then(|| McpChange {
            tool: name.to_owned(),
            accepted: accepted.cloned(),
            current: definition.hash.clone(),
        })
    }

    pub(super) fn accept(&mut self, definition: &Definition) {
        self.accepted
            .insert(definition.name.to_string(), definition.hash.clone());
    }

    pub(super) fn accepted(&self) -> &BTreeMap<String, String> {
        &self.accepted
    }
}
