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

fn main() {
    assert_eq!(
        ui_tests::call(&SearchTool, json!({"query": "a"}))
            .unwrap()
            .text(),
        "a"
    );
}
