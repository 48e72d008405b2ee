use serde_json::json;
use tinytools::tool;

fn main() {
    /// Add two numbers.
    #[tool(read_only)]
    fn add(a: i64, b: i64) -> i64 {
        a + b
    }

    assert_eq!(add(1, 2), 3);
    assert_eq!(
        ui_tests::call(&AddTool, json!({"a": 1, "b": 2.0}))
            .unwrap()
            .output(),
        "3"
    );
}
