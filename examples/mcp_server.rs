//! A server of the Model Context Protocol with three tools over the files of one directory: find, read, and note after a yes.
//! `mcp_server [--root DIR] [--http ADDRESS] [--conformance]`: over standard input and output, or at `http://ADDRESS/mcp`.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use tinyagents::mcp::{HttpTransport, McpServer, McpSession, ServerTransport};
use tinyagents::{RunContext, StreamWriter, TinyAgentsError, ToolRegistry, ToolRunContext};
use tinytools::{Tool, ToolError, ToolProgress, schemars, serde, tool, tools};

pub(crate) mod conformance;

const USAGE: &str = "usage: mcp_server [--root DIR] [--http ADDRESS] [--conformance]";
/// The file that notes go to.
const NOTES: &str = "NOTES.md";
/// Longer files are not searched, and not read whole.
const LONGEST: u64 = 1024 * 1024;

/// What the command line asks for.
#[derive(Debug)]
pub(crate) struct Options {
    root: PathBuf,
    http: Option<SocketAddr>,
    has_conformance_tools: bool,
}

/// The directory whose files the tools see; a hidden value, which no client chooses.
struct Root(PathBuf);

impl Root {
    /// The file of that name, if it lies in the directory, whatever links lead to.
    fn file(&self, name: &str) -> Result<PathBuf, ToolError> {
        let path = self.0.join(name).canonicalize();
        match path {
            Ok(path) if path.starts_with(&self.0) && path.is_file() => Ok(path),
            _ => Err(ToolError::retry(format!(
                "there is no file `{name}` in the directory"
            ))),
        }
    }
}

/// A line that was found.
#[derive(serde::Serialize, schemars::JsonSchema)]
#[serde(crate = "tinytools::serde")]
#[schemars(crate = "tinytools::schemars")]
struct Match {
    /// The file, from the directory on.
    file: String,
    /// The line's number, from 1.
    line: usize,
    /// The line.
    text: String,
}

/// What was found.
#[derive(serde::Serialize, schemars::JsonSchema)]
#[serde(crate = "tinytools::serde")]
#[schemars(crate = "tinytools::schemars")]
struct Found {
    /// The lines, file by file.
    matches: Vec<Match>,
    /// How many files were looked at.
    files: usize,
    /// Whether there are more.
    is_cut: bool,
}

/// Find the lines of text files that contain a text, in upper or lower case.
#[tool(read_only, blocking, label = "Find text", timeout_ms = 30_000)]
fn find_text(
    #[hidden] root: &Root,
    #[hidden] writer: &StreamWriter,
    #[hidden] ctx: &dyn ToolRunContext,
    /// What to find.
    #[arg(min_length = 1, max_length = 200)]
    text: &str,
    /// How many lines to return.
    #[arg(default = 50, minimum = 1, maximum = 500)]
    limit: usize,
) -> Found {
    let wanted = text.to_lowercase();
    let files = text_files(&root.0);
    let mut matches = Vec::new();
    for (done, path) in files.iter().enumerate() {
        if ctx.is_cancelled() || matches.len() > limit {
            break;
        }
        #[expect(clippy::cast_precision_loss, reason = "not that many files")]
        writer.progress(ToolProgress::of(done as f64, files.len() as f64));
        let Ok(content) = fs::read_to_string(path) else {
            continue;
        };
        let file = path.strip_prefix(&root.0).unwrap_or(path);
        let lines = content.lines().enumerate();
        let lines = lines.filter(|(_, line)| line.to_lowercase().contains(&wanted));
        matches.extend(lines.map(|(number, line)| Match {
            file: file.display().to_string(),
            line: number + 1,
            text: line.chars().take(200).collect(),
        }));
    }
    let is_cut = matches.len() > limit;
    matches.truncate(limit);
    Found {
        matches,
        files: files.len(),
        is_cut,
    }
}

/// Read a text file.
#[tool(read_only, blocking, label = "Read file", max_result_bytes = 100_000)]
fn read_file(
    #[hidden] root: &Root,
    /// The file, from the directory on.
    file: &str,
) -> Result<String, ToolError> {
    let path = root.file(file)?;
    let is_long = fs::metadata(&path).is_ok_and(|metadata| metadata.len() > LONGEST);
    if is_long {
        return Err(ToolError::failed(format!("`{file}` is too long to read")));
    }
    fs::read_to_string(path).map_err(|_| ToolError::failed(format!("`{file}` is no text")))
}

/// Add a line to the notes of the directory. A person is asked first.
#[tool(writes_files, approval_required, blocking, label = "Add a note")]
fn add_note(
    #[hidden] root: &Root,
    /// The note, on one line.
    #[arg(min_length = 1, max_length = 500, pattern = r"^[^\r\n]*$")]
    note: &str,
) -> Result<String, ToolError> {
    let file = OpenOptions::new()
        .create(true)
        .append(true)
        .open(root.0.join(NOTES));
    let written = file.and_then(|mut file| writeln!(file, "- {note}"));
    match written {
        Ok(()) => Ok(format!("noted in {NOTES}")),
        Err(error) => Err(ToolError::failed(format!("not noted: {}", error.kind()))),
    }
}

/// The files below a directory that may be text, without hidden ones and build results.
fn text_files(root: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(directory) = open.pop() {
        let Ok(entries) = fs::read_dir(directory) else {
            continue;
        };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            if name.starts_with('.') || name == "target" || name == "node_modules" {
                continue;
            }
            if kind.is_dir() {
                open.push(entry.path());
            } else if kind.is_file() && entry.metadata().is_ok_and(|file| file.len() <= LONGEST) {
                files.push(entry.path());
            }
        }
    }
    files.sort_unstable();
    files
}

/// What a client can do with the directory.
pub(crate) fn tools() -> Vec<Arc<dyn Tool>> {
    tools![FindTextTool, ReadFileTool, AddNoteTool]
}

/// The server, ready to serve.
///
/// # Errors
/// When the directory is none.
pub(crate) fn server(options: &Options) -> anyhow::Result<McpServer> {
    let root = options.root.canonicalize()?;
    let mut registry = ToolRegistry::new();
    registry.register_all(tools())?;
    if options.has_conformance_tools {
        registry.register_all(conformance::tools())?;
    }
    // One context per client, with what the tools take and no client sees.
    let session = move |session: &McpSession| -> Result<RunContext, TinyAgentsError> {
        let ctx = RunContext::new().provide(Root(root.clone()));
        Ok(ctx.provide(session.peer().clone()))
    };
    let server = McpServer::new(registry)
        .with_name("files", env!("CARGO_PKG_VERSION"))
        .with_instructions("Search before you read. Notes are one line each.")
        .with_sessions(session);
    Ok(if options.has_conformance_tools {
        server.with_toolset(conformance::ChangingTools::default())
    } else {
        server
    })
}

/// Reads the command line; `None` where it can't be understood.
pub(crate) fn options(arguments: &[String]) -> Option<Options> {
    let mut options = Options {
        root: PathBuf::from("."),
        http: None,
        has_conformance_tools: false,
    };
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--root" => options.root = arguments.next()?.into(),
            "--http" => options.http = Some(arguments.next()?.parse().ok()?),
            "--conformance" => options.has_conformance_tools = true,
            _ => return None,
        }
    }
    Some(options)
}

#[tokio::main]
async fn main() -> anyhow::Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(options) = options(&arguments) else {
        writeln!(io::stderr(), "{USAGE}")?;
        return Ok(ExitCode::from(2));
    };
    let server = server(&options)?;
    match options.http {
        None => server.serve(ServerTransport::stdio()).await?,
        Some(address) => {
            let http = HttpTransport::bind(address).await?;
            // Standard output belongs to the protocol, if not here.
            writeln!(
                io::stderr(),
                "listening on http://{}/mcp",
                http.local_addr()?
            )?;
            server.serve(http).await?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
