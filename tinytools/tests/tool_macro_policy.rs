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
    serves_only(external_service)
    networks(network)
    reads_there(read_only, network)
    reads_service(read_only, external_service)
    repeatable(idempotent)
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
fn permission_external_effect_and_hints_follow_from_the_effects() {
    use PermissionLevel::{Dangerous, Execute, None as Nothing, ReadOnly, Write};
    // The hints are read-only, destructive, idempotent and open-world.
    let hints = |hints: [bool; 4]| Some(hints);
    let (no, yes) = (false, true);
    let table: [Row; 20] = [
        (&PlainTool, ReadOnly, no, None),
        (&NotWritingTool, ReadOnly, no, None),
        (&TimedTool, ReadOnly, no, None),
        (&ReadsTool, ReadOnly, no, hints([yes, no, yes, no])),
        (&ReadsOnlyOnceTool, ReadOnly, no, hints([yes, no, yes, no])),
        (&ReadsThereTool, ReadOnly, no, hints([yes, no, yes, yes])),
        (&ReadsServiceTool, ReadOnly, no, hints([yes, no, yes, yes])),
        (&ClassifiedOnlyTool, ReadOnly, no, hints([no; 4])),
        (&RepeatableTool, ReadOnly, no, hints([no, no, yes, no])),
        (&NetworksTool, ReadOnly, no, hints([no, no, no, yes])),
        (&WritesTool, Write, no, hints([no; 4])),
        (&InstallsTool, Execute, no, hints([no; 4])),
        (&RunsTool, Execute, no, hints([no; 4])),
        (&DestroysTool, Dangerous, no, hints([no, yes, no, no])),
        (
            &DestroysThereTool,
            Dangerous,
            yes,
            hints([no, yes, no, yes]),
        ),
        (&PaysTool, Dangerous, yes, hints([no, no, no, yes])),
        (&ServesTool, Execute, yes, hints([no, no, no, yes])),
        (&ServesOnlyTool, ReadOnly, yes, hints([no, no, no, yes])),
        (&QuietTool, ReadOnly, no, hints([no, no, no, yes])),
        (&Everything, Nothing, yes, hints([no, no, yes, yes])),
    ];
    for (tool, permission, external, hints) in table {
        let name = tool.name();
        assert_eq!(tool.permission_level(), permission, "{name}");
        assert_eq!(tool.external_effect(), external, "{name}");
        let found = tool.policy().annotations().map(|found| {
            [
                found.read_only_hint,
                found.destructive_hint,
                found.idempotent_hint,
                found.open_world_hint,
            ]
        });
        assert_eq!(found, hints, "{name}");
    }
}

/// A tool, its permission, whether it has an external effect, and its hints.
type Row = (&'static dyn Tool, PermissionLevel, bool, Option<[bool; 4]>);

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
