use serde_json::json;
use tinytools::{tool, tools};

/// Find documents.
#[tool]
fn search(#[arg(default = 3, maximum = 9)] limit: u8, query: String) -> String {
    format!("{query} {limit}")
}

/// Find authors.
#[tool]
fn search_authors(#[arg(default = "few")] limit: String, query: String) -> String {
    format!("{query} {limit}")
}

fn main() {
    assert_eq!(tools![SearchTool, SearchAuthorsTool].len(), 2);
    assert_eq!(
        ui_tests::call(&SearchTool, json!({"query": "a"}))
            .unwrap()
            .text(),
        "a 3"
    );
    assert_eq!(
        ui_tests::call(&SearchAuthorsTool, json!({"query": "a"}))
            .unwrap()
            .text(),
        "a few"
    );
}
