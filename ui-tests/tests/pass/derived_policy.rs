use tinytools::{PermissionLevel, Tool, ToolReplay, tool};

/// Read a page.
#[tool(read_only)]
fn read() {}

/// Save a page.
#[tool(writes_files)]
fn save() {}

/// Run a program.
#[tool(runs_processes)]
fn run() {}

/// Delete a branch of a server.
#[tool(destructive, network)]
fn delete() {}

/// Read a page with approval.
#[tool(read_only, approval_required, idempotent = false)]
fn read_secret() {}

/// Fetch a page.
#[tool(timeout_ms = 5)]
fn unclassified() {}

fn main() {
    assert_eq!(ReadTool.permission_level(), PermissionLevel::ReadOnly);
    assert_eq!(SaveTool.permission_level(), PermissionLevel::Write);
    assert_eq!(RunTool.permission_level(), PermissionLevel::Execute);
    assert_eq!(DeleteTool.permission_level(), PermissionLevel::Dangerous);
    assert!(
        DeleteTool.external_effect() && !ReadTool.external_effect() && !RunTool.external_effect()
    );
    assert!(ReadTool.is_concurrency_safe(&serde_json::Value::Null));
    assert!(ReadTool.policy().access.background_safe && ReadTool.policy().runtime.idempotent);
    assert_eq!(ReadTool.policy().runtime.replay, ToolReplay::Safe);
    let secret = ReadSecretTool.policy();
    assert!(!secret.access.background_safe && !secret.runtime.idempotent);
    assert!(!UnclassifiedTool.policy().classified);
}
