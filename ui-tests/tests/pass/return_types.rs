use serde_json::{Value, json};
use tinytools::{Tool, ToolContent, ToolResult, tool};

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Hit {
    title: String,
}

#[derive(serde::Serialize)]
struct Opaque {
    score: f32,
}

/// Return a result.
#[tool]
fn whole() -> ToolResult {
    ToolResult::success("whole")
}

/// Return a static text.
#[tool]
fn text() -> &'static str {
    "text"
}

/// Return nothing.
#[tool]
async fn nothing() {}

/// Return a flag.
#[tool]
fn flag() -> bool {
    true
}

/// Return blocks.
#[tool]
fn blocks() -> Vec<ToolContent> {
    vec![ToolContent::text("block")]
}

/// Return any value.
#[tool]
fn value() -> Value {
    json!({"any": 1})
}

/// Return structs.
#[tool]
fn hits() -> Result<Vec<Hit>, String> {
    Ok(vec![Hit {
        title: "a".to_owned(),
    }])
}

/// Return a type without a schema.
#[tool]
fn opaque() -> Opaque {
    Opaque { score: 0.5 }
}

/// Return an absent value.
#[tool]
fn absent() -> Option<Hit> {
    None
}

fn main() {
    let output = |tool: &dyn Fn() -> Result<ToolResult, String>| tool().unwrap().output();
    assert_eq!(output(&|| ui_tests::call(&WholeTool, json!({}))), "whole");
    assert_eq!(output(&|| ui_tests::call(&TextTool, json!({}))), "text");
    assert_eq!(output(&|| ui_tests::call(&FlagTool, json!({}))), "true");
    assert_eq!(output(&|| ui_tests::call(&BlocksTool, json!({}))), "block");
    assert!(!ui_tests::call(&NothingTool, json!({})).unwrap().is_error);
    assert_eq!(output(&|| ui_tests::call(&AbsentTool, json!({}))), "null");

    assert!(HitsTool.output_schema().is_some());
    assert!(FlagTool.output_schema().is_some());
    assert!(OpaqueTool.output_schema().is_none());
    assert!(ValueTool.output_schema().is_none());
    assert!(TextTool.output_schema().is_none());
    assert!(WholeTool.output_schema().is_none());
}
