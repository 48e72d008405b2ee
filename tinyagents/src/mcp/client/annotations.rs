//! What a server's hints are worth.

use tinytools::{PermissionLevel, ToolDisplay, ToolPolicy, ToolSideEffects};

use super::McpLimits;
use super::definition::Definition;

/// The policy of a server's tool: unclassified, unless the host takes the server's hints for true.
///
/// An absent hint means what the protocol says it does: not read-only, destructive, not idempotent, open to the world.
/// Source: the schema of the Model Context Protocol, revision 2025-11-25, `ToolAnnotations`.
pub(super) fn policy(definition: &Definition, is_trusted: bool, limits: &McpLimits) -> ToolPolicy {
    let mut policy = match &definition.annotations {
        Some(hints) if is_trusted => {
            let is_read_only = hints.read_only_hint.unwrap_or(false);
            let is_open = hints.open_world_hint.unwrap_or(true);
            let base = if is_read_only {
                ToolPolicy::read_only()
            } else {
                ToolPolicy::classified()
            };
            let mut policy = base.with_side_effects(ToolSideEffects {
                read_only: is_read_only,
                destructive: !is_read_only && hints.is_destructive(),
                network: is_open,
                external_service: is_open && !is_read_only,
                ..ToolSideEffects::default()
            });
            policy.runtime.idempotent = is_read_only || hints.is_idempotent();
            policy
        }
        _ => ToolPolicy::default(),
    };
    policy.runtime.timeout_ms = u64::try_from(limits.call_timeout.as_millis()).ok();
    policy.runtime.max_result_bytes = Some(limits.max_result_bytes);
    policy.display = ToolDisplay {
        label: definition.title.clone(),
        detail: None,
    };
    policy
}

/// What a tool of that policy may do at worst.
pub(super) fn permission_level(policy: &ToolPolicy) -> PermissionLevel {
    let effects = policy.side_effects;
    if effects.read_only {
        PermissionLevel::ReadOnly
    } else if policy.classified && !effects.destructive {
        PermissionLevel::Write
    } else {
        PermissionLevel::Dangerous
    }
}
