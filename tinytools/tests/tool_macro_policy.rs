//! What the keys of `#[tool(..)]` declare to a host, and what is derived from them.

use serde_json::{Value, json};
use tinytools::{
    PermissionLevel, SandboxMode, Tool, ToolCategory, ToolExposure, ToolPolicy, ToolReplay,
    ToolScope, ToolTimeout, WorkspaceAccess, tool,
};

macro_rules! declare {
    ($($name:ident($($keys:tt)*))*) => {
        $(
            #[tool(description = "Try it.", $($keys)*)]
            fn $name() {}
        )*
    };
}

declare! {
    plain()
    reads(read_only)
    reads_only_once(read_only, idempotent = false, concurrency_safe = false, background_safe = false, replay = Never)
    reads_with_approval(read_only, approval_required)
    writes(writes_files)
    not_writing(writes_files = false)
    installs(installs_dependencies, writes_files)
    runs(runs_processes)
    destroys(destructive)
    destroys_there(destructive, network)
    pays(payment)
    serves(external_service, permission = Execute)
    quiet(external_service, external_effect = false)
    networks(network)
    classified_only(classified)
    timed(timeout_ms = 5)
    unbounded(timeout = Unbounded)
    everything(
        name = "all_of_it", struct_name = Everything, label = "All", detail = "of it", family = "odd",
        tags("one", "two"), writes_files, network, max_retries = 2, idempotent, cancelable = false,
        concurrency_safe, blocking, sandbox = Required, max_result_bytes = 100, max_result_chars = 50,
        streaming, replay = Safe, workspace = Scoped, trusted_roots("/srv"), credentials("TOKEN"),
        background_safe, permission = None, scope = AgentOnly, category = Workflow, exposure = Deferred,
        return_direct, supports_markdown, external_effect,
    )
}

#[test]
fn nothing_written_is_the_default_policy() {
    assert_eq!(PlainTool.policy(), ToolPolicy::default());
    assert_eq!(NotWritingTool.policy(), ToolPolicy::default());
    assert!(!TimedTool.policy().classified);
    assert!(ClassifiedOnlyTool.policy().classified);
}

#[test]
fn read_only_implies_what_reading_allows() {
    assert_eq!(ReadsTool.policy(), ToolPolicy::read_only());
    assert!(ReadsTool.is_concurrency_safe(&Value::Null));
    assert_eq!(ReadsTool.permission_level(), PermissionLevel::ReadOnly);
    let policy = ReadsOnlyOnceTool.policy();
    assert!(!policy.runtime.idempotent && !policy.access.background_safe);
    assert_eq!(policy.runtime.replay, ToolReplay::Never);
    assert!(!ReadsOnlyOnceTool.is_concurrency_safe(&Value::Null));
    let policy = ReadsWithApprovalTool.policy();
    assert!(policy.access.approval_required && !policy.access.background_safe);
}

#[test]
fn the_permission_is_the_highest_that_an_effect_needs() {
    let cases: [(&dyn Tool, PermissionLevel); 9] = [
        (&PlainTool, PermissionLevel::ReadOnly),
        (&NetworksTool, PermissionLevel::ReadOnly),
        (&WritesTool, PermissionLevel::Write),
        (&InstallsTool, PermissionLevel::Execute),
        (&RunsTool, PermissionLevel::Execute),
        (&DestroysTool, PermissionLevel::Dangerous),
        (&PaysTool, PermissionLevel::Dangerous),
        (&ServesTool, PermissionLevel::Execute),
        (&Everything, PermissionLevel::None),
    ];
    for (tool, level) in cases {
        assert_eq!(tool.permission_level(), level, "{}", tool.name());
    }
}

#[test]
fn the_external_effect_follows_from_the_effects() {
    let with: [&dyn Tool; 4] = [&ServesTool, &PaysTool, &DestroysThereTool, &Everything];
    assert!(with.iter().all(|tool| tool.external_effect()));
    let without: [&dyn Tool; 4] = [&QuietTool, &DestroysTool, &NetworksTool, &ReadsTool];
    assert!(without.iter().all(|tool| !tool.external_effect()));
}

#[test]
fn every_key_reaches_the_host() {
    let tool: &dyn Tool = &Everything;
    assert_eq!(tool.name(), "all_of_it");
    assert_eq!(Everything::NAME, "all_of_it");
    assert_eq!(tool.display_label(&Value::Null), "All");
    assert_eq!(tool.display_detail(&Value::Null).as_deref(), Some("of it"));
    assert_eq!(tool.family(), Some("odd"));
    assert_eq!(tool.tags(), ["one", "two"]);
    assert!(tool.is_blocking() && tool.return_direct() && tool.supports_markdown());
    assert!(tool.is_concurrency_safe(&Value::Null));
    assert_eq!(tool.max_result_size_chars(), Some(50));
    assert_eq!(tool.scope(), ToolScope::AgentOnly);
    assert_eq!(tool.category(), ToolCategory::Workflow);
    assert_eq!(tool.exposure(), ToolExposure::Deferred);
    let policy = tool.policy();
    assert!(policy.classified);
    assert!(policy.side_effects.writes_files && policy.side_effects.network);
    assert_eq!(policy.runtime.sandbox, SandboxMode::Required);
    assert_eq!(policy.runtime.max_result_bytes, Some(100));
    assert_eq!(policy.runtime.max_retries, 2);
    assert!(policy.runtime.idempotent && !policy.runtime.cancelable && policy.runtime.streaming);
    assert_eq!(policy.runtime.replay, ToolReplay::Safe);
    assert_eq!(policy.access.workspace, WorkspaceAccess::Scoped);
    assert_eq!(policy.access.trusted_roots, ["/srv"]);
    assert_eq!(policy.access.credentials, ["TOKEN"]);
    assert!(policy.access.background_safe);
}

#[test]
fn timeouts_are_one_of_the_two_keys() {
    let args = json!({});
    assert_eq!(TimedTool.timeout_policy(&args), ToolTimeout::Millis(5));
    assert_eq!(UnboundedTool.timeout_policy(&args), ToolTimeout::Unbounded);
    assert_eq!(PlainTool.timeout_policy(&args), ToolTimeout::Inherit);
}
