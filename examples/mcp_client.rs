//! The tools of an MCP server, and a call of one: any command line after `--` starts the server, `--http URL` names one.
//! Needs such a server: `mcp_client [--trust] [--call TOOL [JSON]] (--http URL | -- COMMAND [ARGUMENT..])`.

use std::io::{self, Write};
use std::process::ExitCode;

use tinyagents::mcp::{McpHttp, McpToolSet, McpTransport};
use tinyagents::toolset::ToolSet;
use tinyagents::{Dispatcher, RunContext, ToolCall, ToolRegistry};
use tinytools::ToolPolicy;
use tokio::process::Command;

const USAGE: &str =
    "usage: mcp_client [--trust] [--call TOOL [JSON]] (--http URL | -- COMMAND [ARGUMENT..])";

/// What the command line asks for.
struct Request {
    transport: McpTransport,
    is_trusted: bool,
    /// A tool's name and the text of its arguments.
    call: Option<(String, String)>,
}

#[tokio::main]
async fn main() -> anyhow::Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    run(&arguments, &mut io::stdout().lock()).await
}

/// Exit code 1 where there is no server or the call fails, 2 for a command line that is wrong.
pub(crate) async fn run(arguments: &[String], out: &mut impl Write) -> anyhow::Result<ExitCode> {
    let Some(request) = parse(arguments) else {
        writeln!(out, "{USAGE}")?;
        return Ok(ExitCode::from(2));
    };
    let mut builder = McpToolSet::builder(request.transport);
    if request.is_trusted {
        builder = builder.trusting_server();
    }
    let set = match builder.connect().await {
        Ok(set) => set,
        Err(error) => {
            writeln!(out, "{error}")?;
            return Ok(ExitCode::FAILURE);
        }
    };
    let code = match request.call {
        None => list(&set, out).await?,
        Some((tool, arguments)) => call(&set, tool, &arguments, out).await?,
    };
    set.close().await;
    Ok(code)
}

/// The tools with what a host knows of each, and those that can't be used.
async fn list(set: &McpToolSet, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    for tool in set.tools(&RunContext::new()).await? {
        let policy = describe(&tool.policy());
        writeln!(out, "{} [{policy}]", tool.name())?;
        if let Some(line) = tool.description().lines().next() {
            writeln!(out, "    {line}")?;
        }
        writeln!(out, "    {}", tool.parameters_schema())?;
    }
    for left_out in set.left_out() {
        writeln!(out, "{left_out}")?;
    }
    Ok(ExitCode::SUCCESS)
}

fn describe(policy: &ToolPolicy) -> String {
    if !policy.classified {
        return "unclassified".to_owned();
    }
    let effects = policy.side_effects;
    let facts = [
        (effects.read_only, "read-only"),
        (effects.destructive, "destructive"),
        (policy.runtime.idempotent, "idempotent"),
        (effects.network, "network"),
        (policy.access.approval_required, "needs approval"),
    ];
    let facts = facts.into_iter().filter(|(holds, _)| *holds);
    facts.map(|(_, fact)| fact).collect::<Vec<_>>().join(", ")
}

/// One call, with all that admission does: the arguments are checked before the server sees them.
async fn call(
    set: &McpToolSet,
    tool: String,
    arguments: &str,
    out: &mut impl Write,
) -> anyhow::Result<ExitCode> {
    let ctx = RunContext::new();
    let dispatcher = Dispatcher::new(ToolRegistry::new()).with_toolset(set.clone());
    let calls = vec![ToolCall::from_text("call-1", tool, arguments)];
    let batch = dispatcher.dispatch(&(), &ctx, calls).await?;
    let mut code = ExitCode::SUCCESS;
    for row in batch.messages {
        writeln!(out, "{}", row.content)?;
        if row.is_error {
            code = ExitCode::FAILURE;
        }
    }
    Ok(code)
}

fn parse(arguments: &[String]) -> Option<Request> {
    let (options, command) = match arguments.iter().position(|argument| argument == "--") {
        Some(at) => (&arguments[..at], &arguments[at + 1..]),
        None => (arguments, &[][..]),
    };
    let mut transport = command.split_first().map(|(program, arguments)| {
        let mut command = Command::new(program);
        command.args(arguments);
        McpTransport::command(command)
    });
    let mut is_trusted = false;
    let mut call = None;
    let mut options = options.iter().peekable();
    while let Some(option) = options.next() {
        match option.as_str() {
            "--trust" => is_trusted = true,
            "--http" => transport = Some(McpTransport::http(McpHttp::new(options.next()?))),
            "--call" => {
                let tool = options.next()?.clone();
                let arguments = options.next_if(|next| !next.starts_with("--"));
                call = Some((tool, arguments.cloned().unwrap_or_else(|| "{}".to_owned())));
            }
            _ => return None,
        }
    }
    Some(Request {
        transport: transport?,
        is_trusted,
        call,
    })
}
