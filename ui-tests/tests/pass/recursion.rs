use serde_json::json;
use tinytools::tool;

/// Count down.
#[tool(read_only)]
fn count_down(from: u32) -> String {
    if from == 0 {
        "done".to_owned()
    } else {
        count_down(from - 1)
    }
}

fn main() {
    assert_eq!(
        ui_tests::call(&CountDownTool, json!({"from": 5}))
            .unwrap()
            .text(),
        "done"
    );
}
