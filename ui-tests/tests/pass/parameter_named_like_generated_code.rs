use serde_json::json;
use tinytools::tool;

/// Find documents.
#[tool]
async fn search(
    search: String,
    args: u32,
    ctx: u32,
    options: u32,
    policy: u32,
    returned: u32,
    _tinytools: u32,
) -> String {
    format!(
        "{search} {}",
        args + ctx + options + policy + returned + _tinytools
    )
}

fn main() {
    let args = json!({
        "search": "a", "args": 1, "ctx": 1, "options": 1, "policy": 1, "returned": 1, "_tinytools": 1,
    });
    assert_eq!(ui_tests::call(&SearchTool, args).unwrap().text(), "a 6");
}
