use serde_json::json;
use tinytools::tool;

mod library {
    #[derive(serde::Serialize)]
    pub struct Result<T, E> {
        pub hits: T,
        pub skipped: E,
    }
}

/// Find documents.
#[tool]
fn search(query: String) -> library::Result<Vec<String>, u32> {
    library::Result {
        hits: vec![query],
        skipped: 2,
    }
}

fn main() {
    let answer = ui_tests::call(&SearchTool, json!({"query": "a"})).unwrap();
    let value: serde_json::Value = serde_json::from_str(&answer.output()).unwrap();
    assert_eq!(value, json!({"hits": ["a"], "skipped": 2}));
}
