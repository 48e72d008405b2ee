use tinytools::{
    PermissionLevel, SandboxMode, Tool, ToolExposure, ToolTimeout, WorkspaceAccess, tool,
};

/// Install a package.
#[tool(
    name = "install",
    struct_name = Installer,
    label = "Install",
    detail = "a package",
    family = "packages",
    tags("packages", "slow"),
    writes_files,
    network = true,
    installs_dependencies,
    runs_processes,
    destructive = false,
    timeout_ms = 60_000,
    max_retries = 2,
    idempotent,
    cancelable,
    concurrency_safe = false,
    sandbox = Required,
    max_result_bytes = 10_000,
    max_result_chars = 9_000,
    streaming,
    replay = Never,
    workspace = Scoped,
    trusted_roots("/opt/cache"),
    credentials("registry"),
    approval_required,
    background_safe = false,
    redact("token"),
    permission = Dangerous,
    scope = AgentOnly,
    category = Workflow,
    exposure = Deferred,
    supports_markdown,
    external_effect,
)]
async fn install_package(package: String, token: String) -> String {
    package + &token
}

/// Wait for a file.
#[tool(read_only, timeout = Unbounded, blocking, return_direct)]
fn wait(path: String) -> String {
    path
}

fn main() {
    let policy = Installer.policy();
    assert!(policy.classified && policy.side_effects.network && !policy.side_effects.destructive);
    assert_eq!(policy.runtime.timeout_ms, Some(60_000));
    assert_eq!(policy.runtime.sandbox, SandboxMode::Required);
    assert_eq!(policy.access.workspace, WorkspaceAccess::Scoped);
    assert_eq!(policy.access.redact, ["token"]);
    assert_eq!(Installer.name(), "install");
    assert_eq!(Installer.permission_level(), PermissionLevel::Dangerous);
    assert_eq!(Installer.exposure(), ToolExposure::Deferred);
    assert_eq!(
        WaitTool.policy().runtime.timeout,
        Some(ToolTimeout::Unbounded)
    );
    assert!(WaitTool.is_blocking() && WaitTool.return_direct());
}
