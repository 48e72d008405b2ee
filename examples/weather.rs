//! Three annotated tools over a small climate table: the catalogue a model sees, the policies a host enforces, and a run.
//! `--call NAME ARGUMENTS` dispatches that one call for real and prints what the model would read.

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tinyagents::model::{Message, ScriptedModel, ToolCall};
use tinyagents::{AgentHarness, Dispatcher, RunContext, ToolRegistry};
use tinytools::serde_json::{self, Value, json};
use tinytools::{ToolError, ToolPolicy, schemars, serde, tool, tools};

use climate::City;

mod climate;

/// What the user prefers to read. The model neither knows nor chooses it.
struct Units {
    metric: bool,
}

/// What the user has asked to be kept, for as long as the run lasts.
#[derive(Default)]
struct Bookmarks(Mutex<Vec<&'static str>>);

/// What cities are compared by.
#[derive(Clone, Copy, serde::Deserialize, schemars::JsonSchema)]
#[serde(crate = "tinytools::serde", rename_all = "snake_case")]
#[schemars(crate = "tinytools::schemars")]
enum Measure {
    Temperature,
    Precipitation,
}

/// One row of a comparison.
#[derive(serde::Serialize, schemars::JsonSchema)]
#[serde(crate = "tinytools::serde")]
#[schemars(crate = "tinytools::schemars")]
struct Row {
    city: &'static str,
    value: f64,
    unit: &'static str,
}

/// Look up the usual weather of a city: mean temperature and precipitation in a month, or in the whole year.
#[tool(read_only, timeout_ms = 5000)]
async fn weather(
    #[hidden] units: &Units,
    /// City name, for example "Oslo".
    city: String,
    /// Month, 1 for January; the whole year if absent.
    #[arg(minimum = 1, maximum = 12)]
    month: Option<u8>,
) -> Result<String, ToolError> {
    // Stands for the request to a weather service: two such calls at once take as long as one.
    tokio::time::sleep(Duration::from_millis(20)).await;
    let city = find(&city)?;
    let (degrees, degree) = units.temperature(city.mean_celsius(month));
    let (depth, length) = units.depth(city.total_millimetres(month));
    let (name, period) = (city.name, climate::period(month));
    Ok(format!(
        "{name}, {period}: {degrees} {degree} on average, {depth} {length} of precipitation"
    ))
}

/// Rank cities by what is usual in a month, the highest value first.
#[tool(read_only)]
fn compare_cities(
    #[hidden] units: &Units,
    #[arg(min_items = 2, max_items = 5)] cities: &[String],
    measure: Measure,
    /// Month, 1 for January.
    #[arg(default = 7, minimum = 1, maximum = 12)]
    month: u8,
) -> Result<Vec<Row>, ToolError> {
    let row = |name: &String| {
        let city = find(name)?;
        let (value, unit) = match measure {
            Measure::Temperature => units.temperature(city.mean_celsius(Some(month))),
            Measure::Precipitation => units.depth(city.total_millimetres(Some(month))),
        };
        let city = city.name;
        Ok(Row { city, value, unit })
    };
    let mut rows: Vec<Row> = cities.iter().map(row).collect::<Result<_, ToolError>>()?;
    rows.sort_by(|left, right| right.value.total_cmp(&left.value));
    Ok(rows)
}

/// Keep a city for the user.
#[tool(classified, idempotent)]
fn bookmark_city(#[hidden] bookmarks: &Bookmarks, city: &str) -> Result<String, ToolError> {
    let name = find(city)?.name;
    let mut kept = bookmarks.0.lock().unwrap_or_else(PoisonError::into_inner);
    if !kept.contains(&name) {
        kept.push(name);
    }
    Ok(format!("kept: {}", kept.join(", ")))
}

impl Units {
    fn temperature(&self, celsius: f64) -> (f64, &'static str) {
        if self.metric {
            (rounded(celsius), "°C")
        } else {
            (rounded(celsius * 1.8 + 32.0), "°F")
        }
    }

    fn depth(&self, millimetres: f64) -> (f64, &'static str) {
        if self.metric {
            (rounded(millimetres), "mm")
        } else {
            (rounded(millimetres / 25.4), "in")
        }
    }
}

/// To one decimal; the addition turns a negative zero into zero.
fn rounded(value: f64) -> f64 {
    (value * 10.0).round() / 10.0 + 0.0
}

/// The city of that name, or what the model can do about it.
fn find(name: &str) -> Result<&'static City, ToolError> {
    City::find(name).ok_or_else(|| {
        let known = climate::CITIES.map(|city| city.name).join(", ");
        ToolError::retry(format!("no figures for `{name}`; there are: {known}"))
    })
}

#[tokio::main]
async fn main() -> anyhow::Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    run(&arguments, &mut io::stdout().lock()).await
}

/// What the command line asks for: exit code 1 for an answer that is an error, 2 for a command line that is one.
pub(crate) async fn run(arguments: &[String], out: &mut impl Write) -> anyhow::Result<ExitCode> {
    match arguments {
        [] => {
            show_tools(out)?;
            converse(out).await?;
            Ok(ExitCode::SUCCESS)
        }
        [flag, name, text] if flag == "--call" => call(name, text, out).await,
        _ => {
            writeln!(out, "usage: weather [--call TOOL ARGUMENTS]")?;
            writeln!(
                out,
                "example: weather --call weather '{{\"city\":\"Oslo\"}}'"
            )?;
            Ok(ExitCode::from(2))
        }
    }
}

pub(crate) fn registry() -> anyhow::Result<ToolRegistry> {
    let mut registry = ToolRegistry::new();
    registry.register_all(tools![WeatherTool, CompareCitiesTool, BookmarkCityTool])?;
    Ok(registry)
}

/// Everything the hidden parameters need.
pub(crate) fn context() -> RunContext {
    RunContext::new()
        .provide(Units { metric: true })
        .provide(Bookmarks::default())
}

/// Dispatches one call as a model would make it.
async fn call(name: &str, text: &str, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    let dispatcher = Dispatcher::new(registry()?);
    let calls = vec![ToolCall::from_text("call_1", name, text)];
    let batch = dispatcher.dispatch(&(), &context(), calls).await?;
    let mut code = ExitCode::SUCCESS;
    for answer in &batch.messages {
        writeln!(out, "{}", answer.content)?;
        if answer.is_error {
            code = ExitCode::FAILURE;
        }
    }
    Ok(code)
}

/// Prints what the model is told of the tools, and what only the host is.
fn show_tools(out: &mut impl Write) -> anyhow::Result<()> {
    let registry = registry()?;
    writeln!(out, "# The catalogue, as the model sees it\n")?;
    for schema in registry.schemas().iter() {
        writeln!(out, "{}: {}", schema.name, schema.description)?;
        writeln!(
            out,
            "{}\n",
            serde_json::to_string_pretty(&schema.parameters)?
        )?;
    }
    writeln!(
        out,
        "# The policies, for the host: what differs from the default\n"
    )?;
    let default = serde_json::to_value(ToolPolicy::default())?;
    for (name, policy) in registry.policies() {
        let policy = difference(&serde_json::to_value(policy)?, &default);
        writeln!(out, "{name}: {}", policy.unwrap_or_default())?;
    }
    writeln!(out)?;
    Ok(())
}

/// What remains of a value without the parts that are as in the other one.
fn difference(value: &Value, other: &Value) -> Option<Value> {
    let (Value::Object(fields), Value::Object(others)) = (value, other) else {
        return (value != other).then(|| value.clone());
    };
    let left = fields.iter().filter_map(|(name, value)| {
        let other = others.get(name).unwrap_or(&Value::Null);
        Some((name.clone(), difference(value, other)?))
    });
    let left: serde_json::Map<String, Value> = left.collect();
    (!left.is_empty()).then(|| left.into())
}

/// A run with a model that reads from a script.
async fn converse(out: &mut impl Write) -> anyhow::Result<()> {
    let model = ScriptedModel::new()
        .call("weather", json!({ "town": "Oslo", "month": 13 }))
        .call("weather", json!({ "city": "Oslo", "month": 1 }))
        .calls([
            ("weather", json!({ "city": "Rome", "month": 1 })),
            ("weather", json!({ "city": "Lima", "month": 1 })),
        ])
        .text("Lima is the warmest of the three in January, and the driest.");
    let mut harness: AgentHarness = AgentHarness::new();
    harness.register_all(tools![WeatherTool, CompareCitiesTool, BookmarkCityTool])?;
    harness.with_model(model);

    let question = Message::user("Where should I go in January: Oslo, Rome or Lima?");
    let run = harness
        .invoke_in_context(&(), context(), vec![question])
        .await?;

    writeln!(out, "# The run\n")?;
    for message in &run.messages {
        show_message(message, out)?;
    }
    writeln!(out, "\nstopped: {:?}", run.stop)?;
    writeln!(out, "tools that ran: {}", run.executed_tools.join(", "))?;
    Ok(())
}

fn show_message(message: &Message, out: &mut impl Write) -> io::Result<()> {
    match message {
        Message::Tool(answer) => {
            let kind = if answer.is_error { "error" } else { "answer" };
            writeln!(out, "{kind} {}: {}", answer.call_id, answer.content)
        }
        Message::Assistant(said) => {
            writeln!(out)?;
            for call in &said.tool_calls {
                writeln!(out, "call {}: {} {}", call.id, call.name, call.arguments)?;
            }
            if !said.content.is_empty() {
                writeln!(out, "model: {}", said.content)?;
            }
            Ok(())
        }
        other => writeln!(out, "user: {}", other.text()),
    }
}
