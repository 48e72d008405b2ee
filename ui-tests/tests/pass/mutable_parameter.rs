use serde_json::json;
use tinytools::tool;

/// Sort words.
#[tool]
async fn sort(mut words: Vec<String>) -> String {
    words.sort();
    words.join(" ")
}

fn main() {
    assert_eq!(
        ui_tests::call(&SortTool, json!({"words": ["b", "a"]}))
            .unwrap()
            .text(),
        "a b"
    );
}
