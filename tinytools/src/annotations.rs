//! A policy as the hints of the Model Context Protocol.

use serde::{Deserialize, Serialize};

use crate::ToolPolicy;

/// The behavioural hints of an MCP tool, all four of them.
///
/// The protocol gives an absent hint a default, and those defaults (`destructiveHint` and `openWorldHint` are `true`) are
/// rarely what an author means who has said anything at all. So they are written together or not at all.
///
/// Source: the schema of the Model Context Protocol, revision 2025-11-25, `ToolAnnotations`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "the protocol's own fields")]
pub struct ToolAnnotations {
    /// The tool changes nothing.
    pub read_only_hint: bool,
    /// The tool may destroy or overwrite; meaningful where it isn't read-only.
    pub destructive_hint: bool,
    /// Calling it again with the same arguments changes nothing more.
    pub idempotent_hint: bool,
    /// It deals with things outside the host: the network, a service, or a payment.
    pub open_world_hint: bool,
}

impl ToolPolicy {
    /// The hints for an MCP client; `None` for a tool of which nothing is known.
    ///
    /// ```
    /// use tinytools::ToolPolicy;
    ///
    /// assert_eq!(ToolPolicy::default().annotations(), None);
    /// let hints = ToolPolicy::read_only().annotations().unwrap();
    /// assert!(hints.read_only_hint && !hints.destructive_hint && !hints.open_world_hint);
    /// ```
    #[must_use]
    pub fn annotations(&self) -> Option<ToolAnnotations> {
        let effects = self.side_effects;
        let is_known = self.classified
            || effects.read_only
            || self.has_side_effects()
            || self.runtime.idempotent;
        is_known.then_some(ToolAnnotations {
            read_only_hint: effects.read_only,
            destructive_hint: effects.destructive,
            idempotent_hint: self.runtime.idempotent || effects.read_only,
            open_world_hint: effects.network || effects.external_service || effects.payment,
        })
    }
}
