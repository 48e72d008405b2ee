//! A tool's policy as the hints of the protocol.

use rmcp::model::ToolAnnotations;
use tinytools::ToolPolicy;

/// All four hints, as soon as one of them is known; else none, and no annotations at all.
pub(super) fn annotations(policy: &ToolPolicy) -> Option<ToolAnnotations> {
    let hints = policy.annotations()?;
    let annotations = ToolAnnotations::new()
        .read_only(hints.read_only_hint)
        .destructive(hints.destructive_hint)
        .idempotent(hints.idempotent_hint)
        .open_world(hints.open_world_hint);
    Some(annotations)
}
