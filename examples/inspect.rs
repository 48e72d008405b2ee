//! What becomes of a tool catalogue on its way to each provider, and of an arguments text on its way to a tool.
//! `inspect [CATALOGUE.json] [--tool NAME] [--args TEXT]`; without a catalogue, the tools of the weather example.

use std::fs;
use std::io::{self, Write};
use std::process::ExitCode;

use catalogue::read_catalogue;
use tinyagents::model::ToolSchema;
use tinyagents::schema::{SchemaPreparation, SchemaTarget, lint_tool};

mod catalogue;
mod steps;
#[path = "weather.rs"]
#[allow(dead_code, reason = "only its tools are of interest here")]
mod weather;

/// What the command line asks for.
#[derive(Default)]
struct Request {
    catalogue: Option<String>,
    tool: Option<String>,
    arguments: Option<String>,
}

#[tokio::main]
async fn main() -> anyhow::Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    run(&arguments, &mut io::stdout().lock()).await
}

/// Exit code 1 for arguments that don't reach the tool, 2 for a command line that is wrong.
pub(crate) async fn run(arguments: &[String], out: &mut impl Write) -> anyhow::Result<ExitCode> {
    let Some(request) = parse(arguments) else {
        writeln!(
            out,
            "usage: inspect [CATALOGUE.json] [--tool NAME] [--args TEXT]"
        )?;
        writeln!(
            out,
            "example: inspect --tool weather --args '{{city: \"Oslo\"}}'"
        )?;
        return Ok(ExitCode::from(2));
    };
    let tools = match &request.catalogue {
        Some(path) => read_catalogue(&fs::read_to_string(path)?)?,
        None => weather::registry()?.schemas().to_vec(),
    };
    let tools: Vec<ToolSchema> = match &request.tool {
        Some(name) => tools
            .into_iter()
            .filter(|tool| tool.name == *name)
            .collect(),
        None => tools,
    };
    let Some(first) = tools.first() else {
        writeln!(out, "there is no such tool")?;
        return Ok(ExitCode::from(2));
    };
    if let Some(text) = &request.arguments {
        let registry = weather::registry()?;
        // Only a tool that is here can say what it hides.
        let injected = match (&request.catalogue, registry.get(&first.name)) {
            (None, Some(tool)) => tool.injected().to_vec(),
            _ => Vec::new(),
        };
        return steps::show(first, injected, text, weather::context(), out).await;
    }
    show_table(&tools, out)?;
    show_findings(&tools, out)?;
    Ok(ExitCode::SUCCESS)
}

fn parse(arguments: &[String]) -> Option<Request> {
    let mut request = Request::default();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--tool" => request.tool = Some(rest.next()?.clone()),
            "--args" => request.arguments = Some(rest.next()?.clone()),
            flag if flag.starts_with("--") => return None,
            path if request.catalogue.is_none() => request.catalogue = Some(path.to_owned()),
            _ => return None,
        }
    }
    Some(request)
}

/// One row per tool: the bytes of the declared schema, and for each provider what is found in it, what is left of that
/// after preparation, and the bytes of the prepared schema.
fn show_table(tools: &[ToolSchema], out: &mut impl Write) -> io::Result<()> {
    let width = tools.iter().map(|tool| tool.name.chars().count()).max();
    let width = width.unwrap_or_default().clamp(4, 40);
    write!(out, "{:width$} {:>8}", "tool", "declared")?;
    for target in SchemaTarget::ALL {
        write!(out, " {target:>14}")?;
    }
    writeln!(out)?;
    for tool in tools {
        let name: String = tool.name.chars().take(width).collect();
        write!(out, "{name:width$} {:>8}", bytes(tool))?;
        for target in SchemaTarget::ALL {
            let prepared = prepared(tool, target);
            let found = lint_tool(tool, target).len();
            let left = lint_tool(&prepared, target).len();
            let cell = match (found, left) {
                (0, 0) => format!("ok {}", bytes(&prepared)),
                (found, left) => format!("{found}>{left} {}", bytes(&prepared)),
            };
            write!(out, " {cell:>14}")?;
        }
        writeln!(out)?;
    }
    writeln!(
        out,
        "\nok: nothing is found. 3>0: three findings as declared, none when prepared. Then the bytes of the prepared schema."
    )
}

/// What is found in the declarations, once for all providers that find it.
fn show_findings(tools: &[ToolSchema], out: &mut impl Write) -> io::Result<()> {
    for tool in tools {
        let mut found: Vec<(String, Vec<SchemaTarget>)> = Vec::new();
        for target in SchemaTarget::ALL {
            for finding in lint_tool(tool, target) {
                let text = finding.to_string().replace(&target.to_string(), "it");
                match found.iter_mut().find(|(known, _)| *known == text) {
                    Some((_, targets)) => targets.push(target),
                    None => found.push((text, vec![target])),
                }
            }
        }
        if !found.is_empty() {
            writeln!(out, "\n{}", tool.name)?;
        }
        for (text, targets) in found {
            let targets: Vec<String> = targets.iter().map(ToString::to_string).collect();
            writeln!(out, "  {text} [{}]", targets.join(", "))?;
        }
    }
    Ok(())
}

fn prepared(tool: &ToolSchema, target: SchemaTarget) -> ToolSchema {
    SchemaPreparation {
        target,
        compaction: None,
    }
    .prepare(tool)
}

fn bytes(tool: &ToolSchema) -> usize {
    tool.parameters.to_string().len()
}
