/// Install a package.
#[tool(
    name = "install",
    struct_name = Installer,
    label = "Install",
    family = "packages",
    tags("packages", "slow"),
    writes_files,
    network,
    installs_dependencies,
    runs_processes,
    timeout = Unbounded,
    max_retries = 2,
    idempotent,
    sandbox = Required,
    max_result_bytes = 10_000,
    max_result_chars = 9_000,
    workspace = Scoped,
    trusted_roots("/opt/cache"),
    credentials("registry"),
    approval_required,
    redact("token"),
    exposure = Deferred,
    crate = ::renamed
)]
async fn install_package(package: String, token: String) -> anyhow::Result<()> {
    registry(&token).install(&package).await
}
