//! The two styles to write a tool in.

/// One way to write a tool. `NUMBER` in the text is the number of the tool.
pub(crate) struct Style {
    pub(crate) name: &'static str,
    header: &'static str,
    tool: &'static str,
}

impl Style {
    /// A file of so many tools.
    pub(crate) fn source(&self, tools: usize) -> String {
        let mut source = String::new();
        if tools > 0 {
            source.push_str(self.header);
        }
        for number in 0..tools {
            let tool = self.tool.replace("NUMBER", &number.to_string());
            source.push_str(&tool);
        }
        source
    }
}

pub(crate) const ANNOTATED: Style = Style {
    name: "annotated",
    header: "//! Tools.\n\nuse tinytools::tool;\n",
    tool: r#"
/// Find documents of kind NUMBER.
#[tool(read_only)]
pub async fn search_NUMBER(
    /// What to look for.
    query: String,
    #[arg(default = 10)] limit: u32,
    /// Words that a document must have.
    tags: Vec<String>,
    exact: Option<bool>,
) -> Result<String, String> {
    Ok(format!("{query} {limit} {tags:?} {exact:?}"))
}
"#,
};

pub(crate) const DERIVED: Style = Style {
    name: "derived",
    header: "//! Tools.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tinytools::{Tool, ToolPolicy, ToolResult, async_trait};

fn ten() -> u32 {
    10
}
",
    tool: r#"
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SearchNUMBERArgs {
    /// What to look for.
    query: String,
    #[serde(default = "ten")]
    limit: u32,
    /// Words that a document must have.
    tags: Vec<String>,
    exact: Option<bool>,
}

/// Find documents of kind NUMBER.
pub struct SearchNUMBERTool;

#[async_trait]
impl Tool for SearchNUMBERTool {
    fn name(&self) -> &str {
        "search_NUMBER"
    }

    fn description(&self) -> &str {
        "Find documents of kind NUMBER."
    }

    fn parameters_schema(&self) -> Value {
        schemars::schema_for!(SearchNUMBERArgs).to_value()
    }

    fn policy(&self) -> ToolPolicy {
        ToolPolicy::read_only()
    }

    fn is_concurrency_safe(&self, _: &Value) -> bool {
        true
    }

    async fn execute(&self, args: Value) -> anyhow::Result<ToolResult> {
        let SearchNUMBERArgs { query, limit, tags, exact } = serde_json::from_value(args)?;
        Ok(ToolResult::success(format!("{query} {limit} {tags:?} {exact:?}")))
    }
}
"#,
};
