use serde_json::json;
use tinytools::{Tool, tool};

/// Tell the time.
#[tool(read_only)]
fn now() -> u64 {
    0
}

fn main() {
    let closed =
        json!({"type": "object", "properties": {}, "required": [], "additionalProperties": false});
    assert_eq!(NowTool.parameters_schema(), closed);
    assert_eq!(ui_tests::call(&NowTool, json!({})).unwrap().output(), "0");
    assert!(ui_tests::call(&NowTool, json!({"zone": "UTC"})).is_err());
}
