//! A host that registers a tool and runs it with a scripted model.

use std::error::Error;

use tinyagents::{
    AgentHarness, EventLog, Message, RunContext, RunPolicy, ScriptedModel, UnknownToolPolicy,
};
use tinytools::serde_json::json;
use tinytools::{tool, tools};

struct Units {
    metric: bool,
}

/// Look up the weather for a city.
#[tool(read_only, timeout_ms = 5000)]
async fn weather(
    #[hidden] units: &Units,
    #[hidden] ctx: &RunContext,
    /// City name, for example "Oslo".
    city: String,
) -> Result<String, String> {
    let unit = if units.metric { "°C" } else { "°F" };
    Ok(format!("{city}: 4 {unit} in thread {:?}", ctx.thread_id()))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut harness: AgentHarness<()> = AgentHarness::new();
    harness.with_model(
        ScriptedModel::new()
            .call("weather", json!({ "city": "Oslo" }))
            .call("missing", json!({}))
            .text("Four degrees in Oslo."),
    );
    harness.register_all(tools![WeatherTool])?;
    harness.with_policy(RunPolicy {
        unknown_tool: UnknownToolPolicy::ReturnToolError,
        ..RunPolicy::default()
    });

    let log = EventLog::new();
    let ctx = RunContext::new()
        .with_thread_id("t1")
        .provide(Units { metric: true })
        .with_events(log.clone());
    let run = harness
        .invoke_in_context(&(), ctx, vec![Message::user("How is Oslo?")])
        .await?;

    assert_eq!(run.final_text.as_deref(), Some("Four degrees in Oslo."));
    let row = run
        .messages
        .iter()
        .find_map(Message::as_tool)
        .ok_or("no answer of the tool")?;
    assert_eq!(row.tool_name.as_str(), "weather");
    assert!(
        row.content.contains("Oslo: 4 °C") && !row.is_error,
        "{}",
        row.content
    );
    assert!(
        run.messages
            .iter()
            .any(|m| m.text().contains("unknown tool `missing`"))
    );
    assert!(!log.events().is_empty());
    Ok(())
}
