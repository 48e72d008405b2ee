//! A chat with one tool and a model behind any OpenAI-compatible server: Ollama, LM Studio, llama.cpp, vLLM, OpenAI.
//! Needs such a server: `ollama_chat [--base-url URL] [--model NAME] [--stream] [QUESTION]`; `OPENAI_BASE_URL` may name it, `OPENAI_API_KEY` holds its key.

use std::io::{self, Write};
use std::pin::pin;
use std::process::ExitCode;

use climate::City;
use tinyagents::model::{ChatModel, Message, ModelError, OpenAiModel};
use tinyagents::{AgentEvent, AgentHarness, EventChannel, RunContext, TinyAgentsError};
use tinytools::{ToolError, tool};

mod climate;

/// Where Ollama listens.
const OLLAMA: &str = "http://localhost:11434/v1";
const USAGE: &str = "usage: ollama_chat [--base-url URL] [--model NAME] [--stream] [QUESTION]";

/// What the command line asks for.
struct Request {
    base_url: String,
    model: String,
    is_streamed: bool,
    question: String,
}

/// Look up the usual weather of a city over the year: mean temperature and precipitation.
#[tool(read_only)]
pub(crate) fn weather(
    /// City name, for example "Oslo".
    city: &str,
) -> Result<String, ToolError> {
    let Some(city) = City::find(city) else {
        let known = climate::CITIES.map(|city| city.name).join(", ");
        return Err(ToolError::retry(format!("no figures; there are: {known}")));
    };
    let (celsius, millimetres) = (city.mean_celsius(None), city.total_millimetres(None));
    let (name, period) = (city.name, climate::period(None));
    Ok(format!(
        "{name}, {period}: {celsius:.0} °C on average, {millimetres:.0} mm of precipitation"
    ))
}

#[tokio::main]
async fn main() -> anyhow::Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    run(&arguments, &mut io::stdout().lock()).await
}

/// Exit code 1 where there is no answer, 2 for a command line that is wrong.
pub(crate) async fn run(arguments: &[String], out: &mut impl Write) -> anyhow::Result<ExitCode> {
    let Some(request) = parse(arguments) else {
        writeln!(out, "{USAGE}")?;
        return Ok(ExitCode::from(2));
    };
    let mut builder = OpenAiModel::builder(&request.base_url, &request.model);
    if let Ok(key) = std::env::var("OPENAI_API_KEY")
        && !key.trim().is_empty()
    {
        builder = builder.with_api_key(key);
    }
    let model = match builder.build() {
        Ok(model) => model,
        Err(error) => {
            writeln!(out, "{error}")?;
            writeln!(out, "Name a server with --base-url or OPENAI_BASE_URL.")?;
            return Ok(ExitCode::FAILURE);
        }
    };
    let outcome = chat(model, &request, out).await;
    let Err(error) = outcome else {
        return Ok(ExitCode::SUCCESS);
    };
    writeln!(out, "{error:#}")?;
    let advice =
        find_model_error(&error).and_then(|error| advice(error, &request.base_url, &request.model));
    if let Some(advice) = advice {
        writeln!(out, "{advice}")?;
    }
    Ok(ExitCode::FAILURE)
}

/// What can be done about it.
pub(crate) fn advice(error: &ModelError, base_url: &str, model: &str) -> Option<String> {
    Some(match error {
        ModelError::Unavailable { .. } => format!(
            "No server answers at {}. Start one, for example with `ollama serve`, or name another one with --base-url or \
             OPENAI_BASE_URL.",
            // Its query may hold a key.
            base_url.split('?').next().unwrap_or_default()
        ),
        ModelError::TimedOut(_) => format!(
            "The server is there, but `{model}` is too slow or still being loaded. Try again, or name a smaller model with \
             --model."
        ),
        ModelError::NotFound(_) => format!(
            "The server has no model `{model}`, or nothing at this path. Get it, for example with `ollama pull {model}`, or \
             name another one with --model."
        ),
        ModelError::Unauthorized(_) => "Put the server's key into OPENAI_API_KEY.".to_owned(),
        _ => return None,
    })
}

/// A run: the model may call the tool as often as it likes. Streamed, it is heard word by word.
async fn chat(model: OpenAiModel, request: &Request, out: &mut impl Write) -> anyhow::Result<()> {
    let mut harness: AgentHarness<()> = AgentHarness::new();
    harness.with_model(model.clone());
    harness.register_tool(WeatherTool)?;
    let (sink, mut events) = EventChannel::new();
    let mut ctx = RunContext::new();
    if request.is_streamed {
        ctx = ctx.with_events(sink);
    }
    let question = vec![Message::user(request.question.as_str())];
    let mut run = pin!(harness.invoke_in_context(&(), ctx, question));
    let run = loop {
        tokio::select! {
            biased;
            Some(event) = events.recv() => hear(event.event, out)?,
            run = &mut run => break run?,
        }
    };
    while let Ok(event) = events.try_recv() {
        hear(event.event, out)?;
    }
    for message in &run.messages {
        for call in message.tool_calls() {
            writeln!(out, "-> {} {}", call.name, call.arguments)?;
        }
        if let Some(row) = message.as_tool() {
            writeln!(out, "<- {}", row.content)?;
        }
    }
    if !model.profile().tool_calling {
        writeln!(
            out,
            "(the server takes no tools; they were spoken of in text)"
        )?;
    }
    if request.is_streamed {
        writeln!(out)?;
    } else {
        writeln!(out, "{}", run.final_text.unwrap_or_default())?;
    }
    let usage = run.usage;
    writeln!(
        out,
        "({} tokens read, {} written)",
        usage.input_tokens, usage.output_tokens
    )?;
    Ok(())
}

/// Prints what is said, as it is said.
fn hear(event: AgentEvent, out: &mut impl Write) -> io::Result<()> {
    match event {
        AgentEvent::ModelDelta { text, .. } => {
            write!(out, "{text}")?;
            out.flush()
        }
        _ => Ok(()),
    }
}

fn find_model_error(error: &anyhow::Error) -> Option<&ModelError> {
    match error.downcast_ref() {
        Some(TinyAgentsError::Model(error)) => Some(error),
        _ => error.downcast_ref(),
    }
}

fn parse(arguments: &[String]) -> Option<Request> {
    let mut request = Request {
        base_url: std::env::var("OPENAI_BASE_URL")
            .ok()
            .filter(|url| !url.trim().is_empty())
            .unwrap_or_else(|| OLLAMA.to_owned()),
        model: "qwen3".to_owned(),
        is_streamed: false,
        question: "Is Oslo colder than Lima?".to_owned(),
    };
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--base-url" => request.base_url.clone_from(arguments.next()?),
            "--model" => request.model.clone_from(arguments.next()?),
            "--stream" => request.is_streamed = true,
            option if option.starts_with("--") => return None,
            question => question.clone_into(&mut request.question),
        }
    }
    Some(request)
}
