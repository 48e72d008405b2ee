#![deny(unused_must_use, deprecated)]

use serde_json::json;
use tinytools::tool;

/// Find documents.
#[must_use]
#[tool(read_only)]
#[allow(clippy::needless_pass_by_value)]
#[inline]
async fn search(query: String) -> String {
    query
}

/// Find documents, and say so.
#[tracing::instrument(skip_all)]
#[tool(read_only)]
async fn search_aloud(#[hidden] _: Option<&u8>, query: String) -> String {
    query
}

fn main() {
    assert_eq!(
        ui_tests::call(&SearchAloudTool, json!({"query": "a"}))
            .unwrap()
            .text(),
        "a"
    );
    assert_eq!(
        ui_tests::call(&SearchTool, json!({"query": "a"}))
            .unwrap()
            .text(),
        "a"
    );
}
