//! A crate of tools whose only dependency is `tinytools`.

use std::sync::Arc;

use tinytools::schemars::JsonSchema;
use tinytools::serde::{Deserialize, Serialize};
use tinytools::{
    IntoTools, Tool, ToolError, ToolResult, ToolRunContext, async_trait, tool, toolbox, tools,
};

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
    Ok(format!("{city}, {days} days, metric: {}", units.metric))
}

#[derive(Deserialize, JsonSchema)]
#[serde(crate = "tinytools::serde")]
#[schemars(crate = "tinytools::schemars")]
pub struct Filter {
    pub field: String,
    pub equals: String,
}

#[derive(Serialize, JsonSchema)]
#[serde(crate = "tinytools::serde")]
#[schemars(crate = "tinytools::schemars")]
pub struct Hit {
    pub title: String,
}

pub struct Library {
    titles: Vec<String>,
}

#[toolbox(prefix = "library")]
impl Library {
    pub fn new(titles: Vec<String>) -> Self {
        Self { titles }
    }

    /// Find documents.
    #[tool(read_only)]
    pub async fn search(&self, filters: Vec<Filter>) -> Result<Vec<Hit>, ToolError> {
        let wanted = |title: &&String| filters.iter().all(|filter| title.contains(&filter.equals));
        let hits = self.titles.iter().filter(wanted);
        Ok(hits
            .map(|title| Hit {
                title: title.clone(),
            })
            .collect())
    }
}

/// A tool written by hand needs no other dependency either.
pub struct Echo;

#[async_trait]
impl Tool for Echo {
    fn name(&self) -> &str {
        "echo"
    }

    fn description(&self) -> &str {
        "Echo the arguments."
    }

    fn parameters_schema(&self) -> tinytools::serde_json::Value {
        tinytools::serde_json::json!({ "type": "object" })
    }

    async fn execute(
        &self,
        args: tinytools::serde_json::Value,
    ) -> tinytools::anyhow::Result<ToolResult> {
        Ok(ToolResult::json(args))
    }
}

pub fn all() -> Vec<Arc<dyn Tool>> {
    let mut all = tools![WeatherTool];
    all.extend(Library::new(vec!["Sand".to_owned()]).into_tools());
    all.push(Arc::new(Echo));
    all
}
