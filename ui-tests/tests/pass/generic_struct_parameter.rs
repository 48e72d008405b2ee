use serde_json::json;
use tinytools::{Tool, tool};

#[derive(serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
struct Page<Item> {
    items: Vec<Item>,
    next: Option<String>,
}

/// Show a page.
#[tool(read_only)]
fn show(page: Page<u8>) -> Page<u8> {
    page
}

fn main() {
    assert_eq!(
        ui_tests::property(&ShowTool, "page")["properties"]["next"],
        json!({"type": "string"})
    );
    assert!(ShowTool.output_schema().is_some());
    let answer = ui_tests::call(&ShowTool, json!({"page": {"items": [1]}})).unwrap();
    let value: serde_json::Value = serde_json::from_str(&answer.output()).unwrap();
    assert_eq!(value["items"], json!([1]));
}
