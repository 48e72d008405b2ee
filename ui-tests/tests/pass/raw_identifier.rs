use serde_json::json;
use tinytools::tool;

/// Find documents of one type.
#[tool]
fn search(r#type: String) -> String {
    r#type
}

fn main() {
    assert_eq!(
        ui_tests::property(&SearchTool, "type"),
        json!({"type": "string"})
    );
    assert_eq!(
        ui_tests::call(&SearchTool, json!({"type": "book"}))
            .unwrap()
            .text(),
        "book"
    );
}
