use serde_json::json;
use tinytools::tool;

type Answer = Result<String, String>;

/// Find a document.
#[tool]
fn search(query: String) -> Answer {
    if query.is_empty() {
        Err("an empty query".to_owned())
    } else {
        Ok(query)
    }
}

/// Find a document by its number.
#[tool]
async fn find(number: u8) -> std::io::Result<u8> {
    number
        .checked_add(1)
        .ok_or_else(|| std::io::Error::other("the last document"))
}

fn main() {
    assert_eq!(
        ui_tests::call(&SearchTool, json!({"query": "a"}))
            .unwrap()
            .text(),
        "a"
    );
    let failure = ui_tests::call(&SearchTool, json!({"query": ""})).unwrap_err();
    assert!(failure.contains("an empty query"), "{failure}");
    assert!(
        ui_tests::call(&FindTool, json!({"number": 255}))
            .unwrap_err()
            .contains("the last document")
    );
}
