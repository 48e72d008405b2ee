use serde_json::json;
use tinytools::tool;
use ui_tests::Host;

/// Tell the longer of two names.
#[tool(read_only)]
fn longer<'a>(#[hidden] name: &'a String, other: String) -> String {
    let longest: &'a str = name;
    if other.len() > longest.len() {
        other
    } else {
        longest.to_owned()
    }
}

fn main() {
    let host = Host::new().provide("library".to_owned());
    assert_eq!(
        ui_tests::call_in(&host, &LongerTool, json!({"other": "a"}))
            .unwrap()
            .text(),
        "library"
    );
}
