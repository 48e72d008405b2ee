//! A payment that a person approves: the first start pauses the run in a file and exits, a second one asks and resumes it.
//! `approvals [--file PATH] [--yes | --no | --edit ARGUMENTS]`; without an answer on the command line the terminal is asked.

use std::fs;
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use tinyagents::model::{Message, ScriptedModel};
use tinyagents::{AgentHarness, AgentRun, DeferredToolResults, PausedRun, PendingCall};
use tinytools::serde_json::{self, Value, json};
use tinytools::{ToolRunContext, tool};

/// Pay an amount to somebody.
#[tool(payment, approval_required)]
pub(crate) fn pay(
    #[hidden] ctx: &dyn ToolRunContext,
    /// Who is paid.
    to: &str,
    /// The amount in cents.
    #[arg(minimum = 1, maximum = 100_000)]
    cents: u32,
) -> String {
    // The runtime doesn't start this call without an approval of these very arguments.
    let by = if ctx.is_approved() {
        "a person"
    } else {
        "nobody"
    };
    format!("paid {cents} cents to {to}, approved by {by}")
}

/// What the person says.
enum Answer {
    Yes,
    No,
    Edit(Value),
}

struct Options {
    file: PathBuf,
    answer: Option<Answer>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    run(
        &arguments,
        &mut io::stdin().lock(),
        &mut io::stdout().lock(),
    )
    .await
}

pub(crate) async fn run(
    arguments: &[String],
    input: &mut impl BufRead,
    out: &mut impl Write,
) -> anyhow::Result<ExitCode> {
    let Some(options) = read_options(arguments)? else {
        writeln!(
            out,
            "usage: approvals [--file PATH] [--yes | --no | --edit ARGUMENTS]"
        )?;
        return Ok(ExitCode::from(2));
    };
    if options.file.exists() {
        resume(&options.file, options.answer, input, out).await?;
    } else {
        pause(&options.file, out).await?;
    }
    Ok(ExitCode::SUCCESS)
}

fn read_options(arguments: &[String]) -> anyhow::Result<Option<Options>> {
    let mut options = Options {
        file: std::env::temp_dir().join("tinyagents-approvals.json"),
        answer: None,
    };
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        options.answer = match argument.as_str() {
            "--yes" => Some(Answer::Yes),
            "--no" => Some(Answer::No),
            "--edit" => {
                let text = arguments.next().context("`--edit` needs arguments")?;
                Some(Answer::Edit(serde_json::from_str(text)?))
            }
            "--file" => {
                options.file = arguments.next().context("`--file` needs a path")?.into();
                continue;
            }
            _ => return Ok(None),
        };
    }
    Ok(Some(options))
}

fn harness(model: ScriptedModel) -> anyhow::Result<AgentHarness> {
    let mut harness = AgentHarness::new();
    harness.with_model(model).register_tool(PayTool)?;
    Ok(harness)
}

/// The first start: the model wants to pay, and the run waits in the file.
async fn pause(file: &Path, out: &mut impl Write) -> anyhow::Result<()> {
    let model = ScriptedModel::new().call("pay", json!({ "to": "Ada", "cents": 4200 }));
    let question = Message::user("Please pay Ada what we owe her.");
    let run = harness(model)?.invoke(&(), vec![question]).await?;
    let paused = PausedRun::of(&run).context("the run didn't pause")?;
    fs::write(file, serde_json::to_string_pretty(&paused)?)?;
    writeln!(out, "{}", run.timeline())?;
    writeln!(out, "paused in {}; start again to answer", file.display())?;
    Ok(())
}

/// The second start, perhaps days later: the answers, and the rest of the run.
async fn resume(
    file: &Path,
    answer: Option<Answer>,
    input: &mut impl BufRead,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let paused: PausedRun = serde_json::from_str(&fs::read_to_string(file)?)?;
    let mut results = DeferredToolResults::new();
    for pending in &paused.requests().approvals {
        let answer = match &answer {
            Some(answer) => answer,
            None => &ask(pending, input, out)?,
        };
        results = match answer {
            Answer::Yes => results.approve(&pending.id),
            Answer::No => results.deny(&pending.id, "the person says no"),
            Answer::Edit(arguments) => results.approve_with_args(&pending.id, arguments.clone()),
        };
    }
    // Taken before anything is paid: a third start may not find the same run once more.
    fs::remove_file(file)?;
    let harness = harness(ScriptedModel::new().text("That is settled."))?;
    let ctx = paused.context();
    let run = harness
        .resume_deferred(&(), ctx, paused.messages, results)
        .await?;
    show(&run, out)
}

fn ask(
    pending: &PendingCall,
    input: &mut impl BufRead,
    out: &mut impl Write,
) -> anyhow::Result<Answer> {
    loop {
        write!(
            out,
            "{} {}\nrun it? yes, no, or other arguments as JSON: ",
            pending.name, pending.arguments
        )?;
        out.flush()?;
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 {
            return Ok(Answer::No);
        }
        match line.trim() {
            "y" | "yes" => return Ok(Answer::Yes),
            "n" | "no" => return Ok(Answer::No),
            text => {
                if let Ok(arguments @ Value::Object(_)) = serde_json::from_str(text) {
                    return Ok(Answer::Edit(arguments));
                }
            }
        }
    }
}

fn show(run: &AgentRun, out: &mut impl Write) -> anyhow::Result<()> {
    for row in run.messages.iter().filter_map(Message::as_tool) {
        writeln!(out, "{}: {}", row.tool_name, row.content)?;
    }
    writeln!(out, "model: {}\n", run.final_text.as_deref().unwrap_or("-"))?;
    writeln!(out, "{}", run.timeline())?;
    Ok(())
}
