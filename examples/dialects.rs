//! One tool and one call in every dialect, with the catalogue a model reads; all of it is read back.
//! `--parse FILE` reads a model's text, which was offered the same tool, and prints the calls found.

use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::Context;
use tinyagents::dialect::{self, Dialect};
use tinyagents::serde_json::{Value, json};
use tinyagents::{ToolCall, ToolMessage, ToolSchema};
use tinytools::{Tool, tool};

/// Search the web.
#[tool(read_only)]
pub(crate) fn search(
    /// What to look for.
    query: String,
    /// How many results.
    #[arg(default = 10, minimum = 1)]
    limit: u32,
    /// Sites to look at; all without it.
    sites: Option<Vec<String>>,
) -> String {
    let sites = sites.unwrap_or_default().join(", ");
    [query, format!("{limit} results"), sites].join("; ")
}

fn main() -> anyhow::Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    run(&arguments, &mut io::stdout().lock())
}

/// Prints all dialects, or the calls in a file.
pub(crate) fn run(arguments: &[String], out: &mut impl Write) -> anyhow::Result<ExitCode> {
    let schemas = [declaration(&SearchTool)];
    match arguments {
        [] => show(&schemas, out),
        [flag, file] if flag == "--parse" => {
            let text =
                std::fs::read_to_string(file).with_context(|| format!("can't read {file}"))?;
            parse(&text, &schemas, out)
        }
        _ => {
            writeln!(out, "usage: dialects [--parse FILE]")?;
            Ok(ExitCode::FAILURE)
        }
    }
}

fn declaration(tool: &dyn Tool) -> ToolSchema {
    ToolSchema::new(tool.name(), tool.description(), tool.parameters_schema())
}

fn show(schemas: &[ToolSchema; 1], out: &mut impl Write) -> anyhow::Result<ExitCode> {
    let arguments =
        json!({ "query": "rust <agents>", "limit": 5, "sites": ["docs.rs", "crates.io"] });
    let call = ToolCall::new("", "search", arguments);
    for dialect in Dialect::ALL {
        let written = dialect::render_call(dialect, &call, &schemas[0]);
        let read = dialect::parse_calls(&written, schemas).calls;
        anyhow::ensure!(
            read == [call.clone()],
            "{dialect:?}: {written} is read as {read:?}"
        );
        writeln!(out, "== {dialect:?}")?;
        match dialect::render_catalogue(dialect, schemas) {
            catalogue if catalogue.is_empty() => {
                writeln!(out, "(the request carries the schemas)")?;
            }
            catalogue => writeln!(out, "{catalogue}")?,
        }
        writeln!(out, "-- call\n{written}\n")?;
    }
    let row = ToolMessage::new("c1", "search", "1. </tool_result> a < b");
    writeln!(
        out,
        "== result\n{}",
        dialect::render_result(Dialect::Json, &row)
    )?;
    Ok(ExitCode::SUCCESS)
}

fn parse(text: &str, schemas: &[ToolSchema], out: &mut impl Write) -> anyhow::Result<ExitCode> {
    let parsed = dialect::parse_calls(text, schemas);
    for call in &parsed.calls {
        let arguments: &Value = &call.arguments;
        match &call.invalid {
            None => writeln!(out, "call {} {arguments}", call.name)?,
            Some(reason) => writeln!(out, "invalid call {}: {reason}", call.name)?,
        }
    }
    if !parsed.reasoning.is_empty() {
        writeln!(out, "reasoning {:?}", parsed.reasoning)?;
    }
    writeln!(out, "text {:?}", parsed.text)?;
    Ok(if parsed.calls.is_empty() {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}
