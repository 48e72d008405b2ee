//! A crate of tools alone: what is told of a tool without any host.

#![allow(dead_code)]

use std::sync::Arc;

use tinytools::serde_json::json;
use tinytools::{IntoTools, Tool, ToolRunContext, tool, toolbox, tools};

pub struct Units {
    pub metric: bool,
}

/// Look up the weather for a city.
#[tool(read_only, timeout_ms = 5000)]
pub async fn weather(
    #[hidden] units: &Units,
    #[hidden] ctx: &dyn ToolRunContext,
    /// City name, for example "Oslo".
    city: String,
    #[arg(default = 3, minimum = 1, maximum = 14)] days: u8,
) -> Result<String, String> {
    if ctx.is_cancelled() {
        return Err("cancelled".to_owned());
    }
    let unit = if units.metric { "°C" } else { "°F" };
    Ok(format!("{city}: 4 {unit} for {days} days"))
}

mod billing {
    use tinytools::tool;

    /// Give the money for an order back.
    #[tool(payment, approval_required)]
    pub async fn refund(order: String) -> Result<String, String> {
        Ok(format!("refunded {order}"))
    }
}

#[derive(tinytools::serde::Deserialize, tinytools::schemars::JsonSchema)]
#[serde(crate = "tinytools::serde")]
#[schemars(crate = "tinytools::schemars")]
struct Filter {
    field: String,
    equals: String,
}

struct Table {
    rows: Vec<String>,
}

#[toolbox]
impl Table {
    /// Find rows.
    #[tool(read_only)]
    async fn find(&self, filters: Vec<Filter>) -> Vec<String> {
        let holds = |row: &&String| filters.iter().all(|filter| row.contains(&filter.equals));
        self.rows.iter().filter(holds).cloned().collect()
    }
}

fn main() {
    assert_eq!(WeatherTool::NAME, "weather");
    assert_eq!(
        WeatherTool.parameters_schema(),
        json!({
            "type": "object",
            "properties": {
                "city": { "type": "string", "description": "City name, for example \"Oslo\"." },
                "days": { "type": "integer", "minimum": 1, "maximum": 14, "default": 3 }
            },
            "required": ["city"],
            "additionalProperties": false
        })
    );
    assert!(WeatherTool.policy().classified && WeatherTool.policy().side_effects.read_only);
    assert_eq!(WeatherTool.policy().runtime.timeout_ms, Some(5000));
    assert_eq!(WeatherTool.injected().len(), 2);
    let all: Vec<Arc<dyn Tool>> = tools![WeatherTool, billing::RefundTool];
    assert_eq!(all[1].name(), "refund");

    let table = Arc::new(Table { rows: Vec::new() });
    let shared: Vec<Arc<dyn Tool>> = Arc::clone(&table).into_tools();
    let properties = &shared[0].parameters_schema()["properties"];
    assert_eq!(
        properties["filters"]["items"]["required"],
        json!(["field", "equals"])
    );
}
