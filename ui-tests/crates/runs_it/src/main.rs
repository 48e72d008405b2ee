//! A host that registers tools of every kind and runs them with a scripted model.

use std::error::Error;

use tinyagents::{
    AgentEvent, AgentHarness, AgentRun, EventLog, Message, RunContext, RunPolicy, ScriptedModel,
    ToolMessage, ToolSchema, UnknownToolPolicy,
};
use tinytools::serde_json::json;
use tinytools::{IntoTools, tool, toolbox, tools};

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

/// Find documents.
#[tool(read_only)]
fn search(query: &str) -> Vec<String> {
    vec![query.to_owned()]
}

/// Give the money for an order back.
#[tool(payment)]
async fn refund(order: String) -> String {
    format!("refunded {order}")
}

struct GitHub {
    client: &'static str,
}

#[toolbox(prefix = "gh")]
impl GitHub {
    fn new(client: &'static str) -> Self {
        Self { client }
    }

    /// Find issues.
    #[tool(read_only, network)]
    async fn search_issues(&self, query: String) -> Result<Vec<String>, String> {
        Ok(vec![format!("{query} by {}", self.client)])
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let client = "client";
    let mut harness: AgentHarness<()> = AgentHarness::new();
    harness.with_model(
        ScriptedModel::new()
            .call("weather", json!({ "city": "Oslo" }))
            .calls([
                ("weather", json!({ "city": "Rome" })),
                ("weather", json!({ "city": "Lima" })),
            ])
            .raw_call("weather", r#"{city:"Oslo"}"#)
            .call("missing", json!({}))
            .call("gh_search_issues", json!({ "query": "leak" }))
            .text("Four degrees in Oslo."),
    );
    harness.register_tool(WeatherTool)?;
    harness.register_all(tools![SearchTool, RefundTool])?;
    harness.register_all(GitHub::new(client).into_tools())?;
    harness.register_external_tool(ToolSchema::new(
        "ask_user",
        "Ask.",
        json!({ "type": "object" }),
    ))?;
    harness.with_policy(RunPolicy {
        unknown_tool: UnknownToolPolicy::ReturnToolError,
        ..RunPolicy::default()
    });

    let log = EventLog::new();
    let ctx = RunContext::new()
        .with_thread_id("t1")
        .provide(Units { metric: true })
        .with_events(log.clone());
    let run: AgentRun = harness
        .invoke_in_context(&(), ctx, vec![Message::user("go")])
        .await?;

    assert_eq!(run.final_text.as_deref(), Some("Four degrees in Oslo."));
    let row: &ToolMessage = run.messages.iter().find_map(Message::as_tool).unwrap();
    let (id, name, content, is_error) = (
        row.call_id.as_str(),
        row.tool_name.as_str(),
        row.content.as_str(),
        row.is_error,
    );
    assert!(!id.is_empty());
    assert_eq!((name, is_error), ("weather", false));
    assert!(content.starts_with("Oslo: 4 °C"), "{content}");
    assert!(content.contains("t1"), "{content}");
    assert!(
        run.messages
            .iter()
            .any(|m| m.text().contains("unknown tool `missing`"))
    );
    assert!(log.events().iter().any(|e| matches!(
        e,
        AgentEvent::UnknownToolCall { recovery, .. } if recovery == "tool_error"
    )));
    let answers: Vec<_> = run.messages.iter().filter_map(Message::as_tool).collect();
    assert_eq!(answers.len(), 6, "one answer for each call");
    assert!(answers[5].content.contains("leak by client"));
    Ok(())
}
