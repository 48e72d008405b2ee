//! One tool twice, written by hand and annotated, in one registry: the same schema, the same checks, the same answers.
//! What the annotation saves is what can get out of step by hand: the schema, the reading of arguments, the policy.

use std::io::{self, Write};

use tinyagents::model::ToolCall;
use tinyagents::{Dispatcher, RunContext, ToolRegistry};
use tinytools::serde_json::{Value, json};
use tinytools::{Tool, ToolError, ToolPolicy, ToolResult, async_trait, tool};

/// How cold the air feels in wind, in °C.
#[tool(read_only)]
pub(crate) fn wind_chill(
    /// Air temperature in °C.
    #[arg(minimum = -50, maximum = 10)]
    temperature: f64,
    /// Wind speed in km/h, measured at 10 m.
    #[arg(minimum = 5, maximum = 200, default = 20.0)]
    wind: f64,
) -> f64 {
    felt_temperature(temperature, wind)
}

/// The same tool without the macro.
pub(crate) struct WindChillByHand;

#[async_trait]
impl Tool for WindChillByHand {
    fn name(&self) -> &'static str {
        "wind_chill_by_hand"
    }

    fn description(&self) -> &'static str {
        "How cold the air feels in wind, in °C."
    }

    fn parameters_schema(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "temperature": {
                    "type": "number",
                    "description": "Air temperature in °C.",
                    "minimum": -50,
                    "maximum": 10
                },
                "wind": {
                    "type": "number",
                    "description": "Wind speed in km/h, measured at 10 m.",
                    "minimum": 5,
                    "maximum": 200,
                    "default": 20.0
                }
            },
            "required": ["temperature"],
            "additionalProperties": false
        })
    }

    fn output_schema(&self) -> Option<Value> {
        Some(json!({ "type": "number" }))
    }

    fn policy(&self) -> ToolPolicy {
        ToolPolicy::read_only()
    }

    fn is_concurrency_safe(&self, _args: &Value) -> bool {
        true
    }

    // A host has validated the arguments against the schema; called without a host, this is the only check there is.
    async fn execute(&self, args: Value) -> anyhow::Result<ToolResult> {
        let Some(temperature) = args["temperature"].as_f64() else {
            return Err(ToolError::retry("`temperature` must be a number").into());
        };
        let wind = args.get("wind").map_or(Some(20.0), Value::as_f64);
        let Some(wind) = wind else {
            return Err(ToolError::retry("`wind` must be a number").into());
        };
        Ok(ToolResult::json(json!(felt_temperature(temperature, wind))))
    }
}

/// The index of the North American weather services (2001), to one decimal.
fn felt_temperature(temperature: f64, wind: f64) -> f64 {
    let wind = wind.powf(0.16);
    let felt = 13.12 + 0.6215 * temperature - 11.37 * wind + 0.3965 * temperature * wind;
    (felt * 10.0).round() / 10.0
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    run(&mut io::stdout().lock()).await
}

pub(crate) async fn run(out: &mut impl Write) -> anyhow::Result<()> {
    let mut registry = ToolRegistry::new();
    registry.register(WindChillTool)?;
    registry.register(WindChillByHand)?;
    let same = WindChillTool.parameters_schema() == WindChillByHand.parameters_schema();
    writeln!(out, "same schema: {same}")?;
    let same = WindChillTool.policy() == WindChillByHand.policy();
    writeln!(out, "same policy: {same}")?;

    let dispatcher = Dispatcher::new(registry);
    let context = RunContext::new();
    for arguments in [
        r#"{"temperature": -10, "wind": 30}"#,
        r#"{"temperature": -10}"#,
        r#"{"temperature": "cold", "wind": 1}"#,
        r#"{"temp": -10}"#,
        "minus ten",
    ] {
        let calls = vec![
            ToolCall::from_text("annotated", WindChillTool::NAME, arguments),
            ToolCall::from_text("by_hand", WindChillByHand.name(), arguments),
        ];
        let batch = dispatcher.dispatch(&(), &context, calls).await?;
        writeln!(out, "\n{arguments}")?;
        for answer in &batch.messages {
            writeln!(out, "{}: {}", answer.call_id, answer.content)?;
        }
        let alike = match &batch.messages[..] {
            [annotated, by_hand] => {
                // The one thing that differs is what the tool is called.
                let renamed = by_hand
                    .content
                    .replace(WindChillByHand.name(), WindChillTool::NAME);
                annotated.content == renamed && annotated.is_error == by_hand.is_error
            }
            _ => false,
        };
        writeln!(out, "alike: {alike}")?;
    }
    Ok(())
}
