//! Results held to the schema that their tool declares.

#![allow(missing_docs, clippy::unwrap_used)]

use std::sync::Arc;

use serde_json::{Value, json};
use tinyagents::tinytools::{
    Tool, ToolContent, ToolErrorClass, ToolPolicy, ToolResult, async_trait, tool,
};
use tinyagents::{
    AgentEvent, Dispatcher, EventLog, RunContext, TinyAgentsError, ToolCall, ToolMessage,
    ToolRegistry,
};

/// Answers with whatever it is given.
struct Promises {
    schema: Value,
    result: ToolResult,
    policy: ToolPolicy,
}

impl Promises {
    fn new(schema: Value, result: ToolResult) -> Self {
        Self {
            schema,
            result,
            policy: ToolPolicy::read_only(),
        }
    }
}

#[async_trait]
impl Tool for Promises {
    fn name(&self) -> &'static str {
        "promises"
    }

    fn description(&self) -> &'static str {
        "Promises a form."
    }

    fn parameters_schema(&self) -> Value {
        json!({ "type": "object" })
    }

    fn output_schema(&self) -> Option<Value> {
        Some(self.schema.clone())
    }

    fn policy(&self) -> ToolPolicy {
        self.policy.clone()
    }

    async fn execute(&self, _: Value) -> anyhow::Result<ToolResult> {
        Ok(self.result.clone())
    }
}

async fn answer(tool: impl Tool + 'static, args: Value) -> (ToolMessage, Vec<AgentEvent>) {
    let name = tool.name().to_owned();
    let mut registry = ToolRegistry::new();
    registry.register(Arc::new(tool) as Arc<dyn Tool>).unwrap();
    let log = EventLog::new();
    let ctx = RunContext::new().with_events(log.clone());
    let calls = vec![ToolCall::new("c1", name, args)];
    let batch = Dispatcher::new(registry)
        .dispatch(&(), &ctx, calls)
        .await
        .unwrap();
    (batch.messages[0].clone(), log.events())
}

fn point() -> Value {
    json!({ "type": "object", "properties": { "x": { "type": "integer" } }, "required": ["x"] })
}

#[tokio::test]
async fn a_result_of_another_form_is_a_failure_that_shows_none_of_it() {
    for result in [
        ToolResult::json(json!({ "x": "hunter2" })),
        ToolResult::json(json!({ "hunter2": 1 })),
        ToolResult::success("hunter2"),
        ToolResult::success("\"hunter2\""),
        ToolResult::default(),
        ToolResult::success("a").with_content(ToolContent::text("hunter2")),
        ToolResult::json(json!({ "x": "hunter2" })).with_markdown("hunter2"),
    ] {
        let (row, events) = answer(Promises::new(point(), result.clone()), json!({})).await;
        assert!(row.is_error, "{result:?}");
        assert_eq!(
            row.content,
            "`promises` gave a result that is not in its declared form; it is not shown"
        );
        let AgentEvent::ToolFailed { class, error, .. } = &events[1] else {
            unreachable!("{events:?}");
        };
        assert_eq!(*class, ToolErrorClass::Hard);
        assert!(
            error.contains("output schema") && !error.contains("hunter2"),
            "{error}"
        );
    }
}

#[tokio::test]
async fn a_call_that_had_an_effect_says_so_when_its_result_is_of_another_form() {
    let tool = Promises {
        policy: ToolPolicy::classified(),
        ..Promises::new(point(), ToolResult::default())
    };
    let (row, _) = answer(tool, json!({})).await;
    assert!(
        row.content.ends_with("its effect may have happened"),
        "{}",
        row.content
    );
}

#[tokio::test]
async fn a_result_of_the_form_passes_as_json_and_as_text() {
    for (schema, result) in [
        (point(), ToolResult::json(json!({ "x": 1, "y": 2 }))),
        (point(), ToolResult::success(r#"{"x": 1}"#)),
        (
            point(),
            ToolResult::success("x is 1").with_content(ToolContent::json(json!({ "x": 1 }))),
        ),
        (json!({ "type": "string" }), ToolResult::success("12")),
        (json!({ "type": "integer" }), ToolResult::success("12")),
        (json!({ "type": "null" }), ToolResult::default()),
        // The tool refused: there is no result to hold to anything.
        (point(), ToolResult::error("no")),
    ] {
        let expected = result.output();
        let (row, _) = answer(Promises::new(schema, result.clone()), json!({})).await;
        assert_eq!((row.content, row.is_error), (expected, result.is_error));
    }
}

#[tokio::test]
async fn a_schema_that_can_not_be_compiled_refuses_the_tool() {
    let mut registry = ToolRegistry::new();
    let tool = Promises::new(json!({ "type": 7 }), ToolResult::default());
    let refused = registry.register(tool).unwrap_err();
    assert!(matches!(
        refused,
        TinyAgentsError::InvalidSchema { tool, .. } if tool == "promises"
    ));
    assert_eq!(registry.names().len(), 0);
}

/// Half of a number; not a number for 0.
#[tool(read_only, crate = ::tinyagents::tinytools)]
fn half(n: f64) -> f64 {
    if n == 0.0 { f64::NAN } else { n / 2.0 }
}

/// Say it again.
#[tool(read_only, crate = ::tinyagents::tinytools)]
fn again(text: String) -> String {
    text
}

/// Say nothing.
#[tool(read_only, crate = ::tinyagents::tinytools)]
fn nothing() {}

/// The odd ones.
#[tool(read_only, crate = ::tinyagents::tinytools)]
fn odd(numbers: Vec<u32>) -> Result<Vec<u32>, String> {
    if numbers.is_empty() {
        return Err("give some numbers".to_owned());
    }
    let odd = numbers.into_iter().filter(|number| number % 2 == 1);
    Ok(odd.collect())
}

/// The number, if there is one.
#[tool(read_only, crate = ::tinyagents::tinytools)]
fn maybe(number: Option<i64>) -> Option<i64> {
    number
}

#[tokio::test]
async fn what_annotated_functions_return_keeps_their_promises() {
    for (row, expected) in [
        (answer(HalfTool, json!({ "n": 3 })).await.0, "1.5"),
        (
            answer(AgainTool, json!({ "text": "{\"a\":" })).await.0,
            "{\"a\":",
        ),
        (answer(NothingTool, json!({})).await.0, ""),
        (
            answer(OddTool, json!({ "numbers": [1, 2, 3] })).await.0,
            "[1,3]",
        ),
        (answer(MaybeTool, json!({})).await.0, "null"),
    ] {
        assert_eq!((row.content.as_str(), row.is_error), (expected, false));
    }
    assert!(answer(HalfTool, json!({ "n": 0 })).await.0.is_error);
}
