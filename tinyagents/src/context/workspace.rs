//! The workspace of a run within a run.

use std::path::PathBuf;

use tinytools::{SandboxMode, WorkspaceDescriptor};

/// As much of `inner` as lies in `outer`.
pub(super) fn narrowed(
    outer: &WorkspaceDescriptor,
    inner: WorkspaceDescriptor,
) -> WorkspaceDescriptor {
    let sandbox = match outer.sandbox {
        SandboxMode::Required => SandboxMode::Required,
        _ => inner.sandbox,
    };
    let is_inside = |root: &PathBuf| root.is_absolute() && outer.allows(root);
    let mut narrowed = if is_inside(&inner.root) {
        WorkspaceDescriptor::new(inner.root)
    } else {
        WorkspaceDescriptor::default()
    };
    narrowed.sandbox = sandbox;
    narrowed.trusted_roots = inner.trusted_roots.into_iter().filter(is_inside).collect();
    narrowed
}
