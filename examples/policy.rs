//! One registry under four policies: open, read-only, strict, sandboxed. For every tool it prints whether the model is shown
//! it, and whether a call runs, waits for a person, or why it is refused.

use std::io::{self, Write};

use tinyagents::middleware::ToolPolicyMiddleware;
use tinyagents::model::ToolCall;
use tinyagents::{
    Dispatcher, RunContext, SandboxMode, ToolRegistry, ToolSideEffects, WorkspaceDescriptor,
};
use tinytools::serde_json::json;
use tinytools::{tool, tools};

/// Read a note.
#[tool(read_only)]
pub(crate) fn read_note() -> &'static str {
    "buy milk"
}

/// Write a note.
#[tool(writes_files)]
pub(crate) fn write_note() -> &'static str {
    "written"
}

/// Run a script. It may be anybody's, so it wants a sandbox.
#[tool(runs_processes, sandbox = Required)]
pub(crate) fn run_script() -> &'static str {
    "exit code 0"
}

/// Delete all notes.
#[tool(destructive)]
pub(crate) fn delete_notes() -> &'static str {
    "gone"
}

/// Tell the team, which a person has to approve.
#[tool(external_service, network, approval_required)]
pub(crate) fn tell_team() -> &'static str {
    "told"
}

/// Something that came without any word on what it does.
#[tool]
pub(crate) fn mystery() -> &'static str {
    "?"
}

/// A policy, and the runs it is for.
struct Setting {
    name: &'static str,
    policy: Option<ToolPolicyMiddleware>,
    context: RunContext,
}

fn settings(registry: &ToolRegistry) -> Vec<Setting> {
    let workspace = WorkspaceDescriptor::new("/srv/notes");
    let sandbox = workspace.clone().with_sandbox(SandboxMode::Required);
    let open_context = RunContext::new().with_workspace(workspace);
    let everything_but_reading = ToolSideEffects {
        read_only: false,
        writes_files: true,
        network: true,
        installs_dependencies: true,
        runs_processes: true,
        destructive: true,
        external_service: true,
        payment: true,
    };
    let strict = || ToolPolicyMiddleware::strict(registry.policies()).require_sandbox(true);
    vec![
        Setting {
            name: "open",
            policy: None,
            context: open_context.clone(),
        },
        Setting {
            name: "read-only",
            policy: Some(
                ToolPolicyMiddleware::new(registry.policies())
                    .require_classification(true)
                    .deny_side_effects(everything_but_reading),
            ),
            context: open_context.clone(),
        },
        Setting {
            name: "strict",
            policy: Some(strict()),
            context: open_context,
        },
        Setting {
            name: "sandboxed",
            policy: Some(strict()),
            context: RunContext::new().with_workspace(sandbox),
        },
    ]
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    run(&mut io::stdout().lock()).await
}

pub(crate) async fn run(out: &mut impl Write) -> anyhow::Result<()> {
    let mut registry = ToolRegistry::new();
    registry.register_all(tools![
        ReadNoteTool,
        WriteNoteTool,
        RunScriptTool,
        DeleteNotesTool,
        TellTeamTool,
        MysteryTool
    ])?;
    for setting in settings(&registry) {
        let mut dispatcher = Dispatcher::new(registry.clone());
        if let Some(policy) = setting.policy {
            dispatcher = dispatcher.with_middleware(policy);
        }
        writeln!(out, "{}", setting.name)?;
        let turn = dispatcher.turn(&setting.context).await?;
        for name in registry.names() {
            let is_shown = turn.schemas().iter().any(|schema| schema.name == name);
            let shown = if is_shown { "shown" } else { "hidden" };
            let outcome = called(&dispatcher, &setting.context, name).await?;
            writeln!(out, "  {name:<12} {shown:<6} {outcome}")?;
        }
    }
    Ok(())
}

/// What becomes of a call, even of a tool that the model was not shown.
async fn called(
    dispatcher: &Dispatcher,
    context: &RunContext,
    name: &str,
) -> anyhow::Result<String> {
    let call = ToolCall::new("call-1", name, json!({}));
    let batch = dispatcher.dispatch(&(), context, vec![call]).await?;
    Ok(match batch.messages.first() {
        None => "waits for approval".to_owned(),
        Some(row) if row.is_error => row.content.clone(),
        Some(row) => format!("runs: {}", row.content),
    })
}
