//! The JSON forms that other programs read and write, to the letter.
#![expect(clippy::unwrap_used, reason = "tests")]

use serde_json::{Value, json};
use tinytools::{
    MediaSource, PermissionLevel, SandboxMode, ToolAccess, ToolCallOptions, ToolCategory,
    ToolContent, ToolDisplay, ToolErrorClass, ToolExposure, ToolPolicy, ToolProgress, ToolReplay,
    ToolResult, ToolRuntime, ToolScope, ToolSideEffects, ToolSpec, ToolTimeout, WorkspaceAccess,
    WorkspaceDescriptor,
};

fn assert_wire<T>(value: &T, wire: &Value)
where
    T: serde::Serialize + serde::de::DeserializeOwned + PartialEq + std::fmt::Debug,
{
    assert_eq!(&serde_json::to_value(value).unwrap(), wire);
    assert_eq!(&serde_json::from_value::<T>(wire.clone()).unwrap(), value);
}

/// Each variant beside its name.
macro_rules! assert_names {
    ($ty:ident: $($variant:ident $(($field:expr))? => $wire:tt),* $(,)?) => {
        $(assert_wire(&$ty::$variant $(($field))?, &json!($wire));)*
    };
}

#[test]
fn enums_are_snake_case() {
    assert_names!(PermissionLevel: None => "none", ReadOnly => "read_only", Write => "write",
        Execute => "execute", Dangerous => "dangerous");
    assert_names!(ToolScope: All => "all", AgentOnly => "agent_only", CliRpcOnly => "cli_rpc_only");
    assert_names!(ToolCategory: System => "system", Workflow => "workflow");
    assert_names!(ToolExposure: Direct => "direct", Deferred => "deferred", Hidden => "hidden");
    assert_names!(SandboxMode: Inherit => "inherit", Disabled => "disabled", Required => "required");
    assert_names!(WorkspaceAccess: None => "none", Scoped => "scoped", Any => "any");
    assert_names!(ToolReplay: Never => "never", Safe => "safe");
    assert_names!(ToolErrorClass: Retryable => "retryable", Repairable => "repairable", Hard => "hard");
    assert_names!(ToolTimeout: Inherit => "inherit", Unbounded => "unbounded",
        Millis(5) => { "millis": 5 });
}

#[test]
fn a_full_policy_has_its_form() {
    let effects = json!({
        "read_only": true, "writes_files": true, "network": true, "installs_dependencies": true,
        "runs_processes": true, "destructive": true, "external_service": true, "payment": true
    });
    let policy = ToolPolicy {
        classified: true,
        side_effects: serde_json::from_value(effects.clone()).unwrap(),
        runtime: ToolRuntime {
            sandbox: SandboxMode::Required,
            max_result_bytes: Some(1000),
            timeout_ms: Some(5),
            timeout: Some(ToolTimeout::Unbounded),
            max_retries: 2,
            idempotent: true,
            cancelable: false,
            streaming: true,
            replay: ToolReplay::Safe,
        },
        access: ToolAccess {
            workspace: WorkspaceAccess::Scoped,
            trusted_roots: vec!["/t".to_owned()],
            credentials: vec!["TOKEN".to_owned()],
            approval_required: true,
            background_safe: true,
            redact: vec!["key".to_owned()],
        },
        display: ToolDisplay {
            label: Some("Look".to_owned()),
            detail: Some("closely".to_owned()),
        },
    };
    let wire = json!({
        "classified": true,
        "side_effects": effects,
        "runtime": {
            "sandbox": "required", "max_result_bytes": 1000, "timeout_ms": 5, "timeout": "unbounded",
            "max_retries": 2, "idempotent": true, "cancelable": false, "streaming": true, "replay": "safe"
        },
        "access": {
            "workspace": "scoped", "trusted_roots": ["/t"], "credentials": ["TOKEN"],
            "approval_required": true, "background_safe": true, "redact": ["key"]
        },
        "display": { "label": "Look", "detail": "closely" }
    });
    assert_wire(&policy, &wire);
}

#[test]
fn permission_levels_are_ordered_by_privilege() {
    use PermissionLevel::{Dangerous, Execute, None, ReadOnly, Write};
    assert!(None < ReadOnly && ReadOnly < Write && Write < Execute && Execute < Dangerous);
}

#[test]
fn the_default_policy_is_unclassified() {
    assert_wire(
        &ToolPolicy::default(),
        &json!({
            "classified": false,
            "side_effects": {
                "read_only": false, "writes_files": false, "network": false, "installs_dependencies": false,
                "runs_processes": false, "destructive": false, "external_service": false, "payment": false
            },
            "runtime": {
                "sandbox": "inherit", "max_result_bytes": null, "timeout_ms": null, "timeout": null,
                "max_retries": 0, "idempotent": false, "cancelable": true, "streaming": false, "replay": "never"
            },
            "access": {
                "workspace": "none", "trusted_roots": [], "credentials": [], "approval_required": false,
                "background_safe": false, "redact": []
            },
            "display": { "label": null, "detail": null }
        }),
    );
}

#[test]
fn every_missing_or_unknown_field_of_a_policy_is_read() {
    let policy: ToolPolicy = serde_json::from_value(json!({})).unwrap();
    assert_eq!(policy, ToolPolicy::default());
    let newer = json!({
        "classified": true,
        "side_effects": { "network": true, "teleports": true },
        "runtime": { "timeout_ms": 5 },
        "access": { "redact": ["key"] },
        "of_a_newer_version": {}
    });
    let policy: ToolPolicy = serde_json::from_value(newer).unwrap();
    assert!(policy.classified && policy.side_effects.network);
    assert_eq!(policy.runtime.timeout_policy(), ToolTimeout::Millis(5));
    assert!(policy.runtime.cancelable);
    assert_eq!(policy.access.redact, ["key"]);
}

#[test]
fn a_result_leaves_out_what_it_does_not_have() {
    assert_wire(
        &ToolResult::success("4 °C"),
        &json!({ "content": [{ "type": "text", "text": "4 °C" }], "is_error": false }),
    );
    let full = ToolResult::error("no")
        .with_markdown("**no**")
        .with_follow_up(ToolContent::text("more"))
        .with_metadata(json!({ "n": 1 }))
        .with_artifact("mem:1", "text/csv")
        .with_return_direct(true);
    assert_wire(
        &full,
        &json!({
            "content": [
                { "type": "text", "text": "no" },
                { "type": "artifact", "uri": "mem:1", "media_type": "text/csv" }
            ],
            "is_error": true,
            "markdown": "**no**",
            "follow_up": [{ "type": "text", "text": "more" }],
            "metadata": { "n": 1 },
            "return_direct": true
        }),
    );
    let empty: ToolResult = serde_json::from_value(json!({ "of_a_newer_version": 1 })).unwrap();
    assert_eq!(empty, ToolResult::default());
}

#[test]
fn each_kind_of_content_has_its_form() {
    let cases = [
        (
            ToolContent::json(json!([1])),
            json!({ "type": "json", "json": [1] }),
        ),
        (
            ToolContent::image_url("https://example.org/a.png"),
            json!({ "type": "image", "url": "https://example.org/a.png" }),
        ),
        (
            ToolContent::image([1, 2, 3], "image/png"),
            json!({ "type": "image", "data": "AQID", "media_type": "image/png" }),
        ),
        (
            ToolContent::file("a.pdf", [1], "application/pdf"),
            json!({ "type": "file", "name": "a.pdf", "data": "AQ==", "media_type": "application/pdf" }),
        ),
        (
            ToolContent::File {
                name: "a.pdf".to_owned(),
                source: MediaSource::Url {
                    url: "https://example.org/a.pdf".to_owned(),
                },
                media_type: None,
            },
            json!({ "type": "file", "name": "a.pdf", "url": "https://example.org/a.pdf" }),
        ),
        (
            ToolContent::Artifact {
                uri: "mem:1".to_owned(),
                media_type: None,
                bytes: Some(7),
                description: Some("a table".to_owned()),
            },
            json!({ "type": "artifact", "uri": "mem:1", "bytes": 7, "description": "a table" }),
        ),
    ];
    for (content, wire) in cases {
        assert_wire(&content, &wire);
    }
}

#[test]
fn a_block_of_an_unknown_type_is_written_back_unchanged() {
    for wire in [
        json!({ "type": "hologram", "depth": 3, "text": "x" }),
        json!({ "no_type": true }),
        json!("plain"),
    ] {
        let content: ToolContent = serde_json::from_value(wire.clone()).unwrap();
        assert_eq!(content, ToolContent::Other(wire.clone()));
        assert_eq!(serde_json::to_value(content).unwrap(), wire);
    }
    let known: ToolContent =
        serde_json::from_value(json!({ "type": "text", "text": "x", "newer": 1 })).unwrap();
    assert_eq!(known, ToolContent::text("x"));
}

#[test]
fn the_small_types_have_their_forms() {
    let spec = ToolSpec {
        name: "add".to_owned(),
        description: "Add.".to_owned(),
        parameters: json!({ "type": "object" }),
        output: None,
    };
    assert_wire(
        &spec,
        &json!({ "name": "add", "description": "Add.", "parameters": { "type": "object" } }),
    );
    assert_wire(
        &ToolCallOptions {
            prefer_markdown: true,
        },
        &json!({ "prefer_markdown": true }),
    );
    assert_wire(
        &ToolProgress::of(1.0, 2.0).with_message("half"),
        &json!({ "message": "half", "progress": 1.0, "total": 2.0 }),
    );
    assert_wire(
        &WorkspaceDescriptor::new("/w").with_trusted_root("/t"),
        &json!({ "root": "/w", "sandbox": "inherit", "trusted_roots": ["/t"] }),
    );
    assert_eq!(
        serde_json::from_value::<WorkspaceDescriptor>(json!({ "root": "/w", "new": 1 })).unwrap(),
        WorkspaceDescriptor::new("/w")
    );
}

#[test]
fn mcp_hints_are_all_four_or_none() {
    let policy = ToolPolicy::default().with_side_effects(ToolSideEffects {
        destructive: true,
        network: true,
        ..ToolSideEffects::default()
    });
    assert_wire(
        &policy.annotations().unwrap(),
        &json!({ "readOnlyHint": false, "destructiveHint": true, "idempotentHint": false, "openWorldHint": true }),
    );
    let timed = ToolPolicy::default().with_runtime(ToolRuntime {
        timeout_ms: Some(5),
        ..ToolRuntime::default()
    });
    assert_eq!(timed.annotations(), None);
}

#[test]
fn the_builders_of_a_policy_say_what_they_mean() {
    let read_only = ToolPolicy::read_only();
    assert!(read_only.classified && read_only.side_effects.read_only);
    assert!(read_only.runtime.idempotent && read_only.access.background_safe);
    assert_eq!(read_only.runtime.replay, ToolReplay::Safe);
    assert!(!read_only.has_side_effects());

    let payment = ToolPolicy::default().with_side_effects(ToolSideEffects {
        payment: true,
        ..ToolSideEffects::default()
    });
    assert!(payment.classified && payment.has_side_effects());

    let approved = ToolPolicy::read_only().requiring_approval();
    assert!(approved.access.approval_required && !approved.access.background_safe);

    let built = ToolPolicy::classified()
        .with_runtime(ToolRuntime {
            timeout: Some(ToolTimeout::Unbounded),
            timeout_ms: Some(5),
            ..ToolRuntime::default()
        })
        .with_access(ToolAccess {
            credentials: vec!["GITHUB_TOKEN".to_owned()],
            ..ToolAccess::default()
        })
        .with_display(ToolDisplay {
            label: Some("Look".to_owned()),
            detail: None,
        });
    assert_eq!(built.runtime.timeout_policy(), ToolTimeout::Unbounded);
    assert!(!built.has_side_effects());
}
