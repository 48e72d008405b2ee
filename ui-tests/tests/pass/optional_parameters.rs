use serde_json::json;
use tinytools::{Tool, tool};

type Maybe<T> = Option<T>;

/// Find documents.
#[tool]
fn search(query: String, limit: Option<u32>, language: Maybe<String>) -> String {
    format!("{query} {limit:?} {language:?}")
}

fn main() {
    assert_eq!(SearchTool.parameters_schema()["required"], json!(["query"]));
    assert_eq!(
        ui_tests::property(&SearchTool, "language"),
        json!({"type": "string"})
    );
    let answer = ui_tests::call(&SearchTool, json!({"query": "a", "limit": null})).unwrap();
    assert_eq!(answer.text(), "a None None");
}
