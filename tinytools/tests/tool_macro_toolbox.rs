//! `#[toolbox]`: the methods of an impl block as tools.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};
use tinytools::schemars::JsonSchema;
use tinytools::serde::Serialize;
use tinytools::{
    IntoTools, PermissionLevel, Tool, ToolError, ToolRunContext, ToolTimeout, toolbox,
};

/// The return type of a method of the same name, to show that the structs of the expansion clash with nothing.
#[derive(Serialize, JsonSchema)]
#[serde(crate = "tinytools::serde")]
#[schemars(crate = "tinytools::schemars")]
struct SearchIssuesTool {
    title: String,
}

#[derive(Default)]
struct GitHub {
    calls: AtomicU32,
}

#[toolbox(prefix = "gh", network, timeout_ms = 100, read_only, tags("code"))]
impl GitHub {
    const LIMIT: u32 = 7;

    fn count(&self) -> u32 {
        self.calls.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Find issues.
    #[tool]
    async fn search_issues(
        &self,
        query: &str,
        #[arg(default = Self::LIMIT, maximum = 50)] limit: u32,
        #[hidden] _: Option<&dyn ToolRunContext>,
    ) -> Result<Vec<SearchIssuesTool>, ToolError> {
        std::future::ready(()).await;
        let title = format!("{query} {limit} {}", self.count());
        Ok(vec![SearchIssuesTool { title }])
    }

    /// Merge.
    #[tool(writes_files, timeout = Unbounded, approval_required, name = "merge_it")]
    fn merge(self: Arc<Self>, number: u32) -> Result<String, String> {
        if number == 0 {
            return Err(format!("no such number, call {}", self.count()));
        }
        Ok(format!("merged {number}"))
    }

    /// Say the limit.
    #[tool(tags())]
    fn limit() -> u32 {
        Self::LIMIT
    }

    /// Not here.
    #[cfg(any())]
    #[tool]
    fn absent(&self, missing: Missing) -> Missing {
        missing
    }
}

fn run(tool: &dyn Tool, args: Value) -> Result<String, String> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    match runtime.block_on(tool.execute(args)) {
        Ok(result) => Ok(result.output()),
        Err(error) => Err(format!("{error:#}")),
    }
}

#[test]
fn every_annotated_method_is_a_tool_with_the_prefix() {
    let tools = GitHub::default().into_tools();
    let names: Vec<_> = tools.iter().map(|tool| tool.name()).collect();
    assert_eq!(names, ["gh_search_issues", "gh_merge_it", "gh_limit"]);
    assert_eq!(tools[0].description(), "Find issues.");
    assert_eq!(
        tools[0].parameters_schema(),
        json!({
            "type": "object",
            "properties": {
                "query": { "type": "string" },
                "limit": { "type": "integer", "minimum": 0, "maximum": 50, "default": 7 }
            },
            "required": ["query"],
            "additionalProperties": false
        })
    );
    assert_eq!(tools[0].output_schema().unwrap()["type"], "array");
}

#[test]
fn the_state_is_shared_and_the_methods_stay_callable() {
    let github = Arc::new(GitHub::default());
    let tools = Arc::clone(&github).into_tools();
    let found = run(&*tools[0], json!({ "query": "a" })).unwrap();
    assert_eq!(found, r#"[{"title":"a 7 1"}]"#);
    assert_eq!(github.count(), 2);
    assert_eq!(run(&*tools[1], json!({ "number": 3 })).unwrap(), "merged 3");
    let error = run(&*tools[1], json!({ "number": 0 })).unwrap_err();
    assert_eq!(error, "no such number, call 3");
    assert_eq!(run(&*tools[2], json!({})).unwrap(), "7");
    assert_eq!(GitHub::limit(), 7);
}

#[test]
fn keys_of_the_toolbox_are_defaults_that_give_way() {
    let tools = GitHub::default().into_tools();
    let search = tools[0].policy();
    assert!(search.side_effects.read_only && search.side_effects.network);
    assert_eq!(
        tools[0].timeout_policy(&json!({})),
        ToolTimeout::Millis(100)
    );
    assert_eq!(tools[0].tags(), ["code"]);
    assert!(tools[2].tags().is_empty());
    let merge = tools[1].policy();
    assert!(!merge.side_effects.read_only && merge.side_effects.network);
    assert!(merge.access.approval_required && !merge.access.background_safe);
    assert_eq!(tools[1].permission_level(), PermissionLevel::Write);
    assert_eq!(tools[1].timeout_policy(&json!({})), ToolTimeout::Unbounded);
}

struct Shelf<T, const SIZE: usize> {
    items: Vec<T>,
}

#[toolbox]
impl<T: Display + Clone + Serialize, const SIZE: usize> Shelf<T, SIZE> {
    /// Show one.
    #[tool]
    async fn show(&self, at: usize) -> Option<T> {
        std::future::ready(()).await;
        self.items.get(at).cloned()
    }

    /// Tell the size.
    #[tool]
    fn size(&self) -> String {
        format!("{} of {SIZE}", self.items.len())
    }
}

#[test]
fn generic_owners_work() {
    let tools = Shelf::<_, 3> { items: vec![1, 2] }.into_tools();
    assert_eq!(run(&*tools[0], json!({ "at": 1 })).unwrap(), "2");
    assert_eq!(run(&*tools[1], json!({})).unwrap(), "2 of 3");
    let texts = Shelf::<_, 3> {
        items: vec!["a".to_owned()],
    };
    assert_eq!(
        run(&*texts.into_tools()[0], json!({ "at": 0 })).unwrap(),
        r#""a""#
    );
}
