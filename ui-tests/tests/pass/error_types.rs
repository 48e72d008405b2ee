use serde_json::json;
use tinytools::{ToolError, tool};

#[derive(Debug, thiserror::Error)]
#[error("the shelf {0} is closed")]
struct Closed(u8);

/// Fail with a type of the user.
#[tool]
fn own() -> Result<String, Closed> {
    Err(Closed(7))
}

/// Fail with a text.
#[tool]
fn text() -> Result<String, &'static str> {
    Err("closed for ever")
}

/// Fail with any error.
#[tool]
async fn any() -> anyhow::Result<String> {
    anyhow::bail!("closed today")
}

/// Fail with a classified error.
#[tool]
fn classified() -> Result<String, ToolError> {
    Err(ToolError::Retry("write the shelf as a number".to_owned()))
}

fn main() {
    let failures = [
        (ui_tests::call(&OwnTool, json!({})), "the shelf 7 is closed"),
        (ui_tests::call(&TextTool, json!({})), "closed for ever"),
        (ui_tests::call(&AnyTool, json!({})), "closed today"),
        (
            ui_tests::call(&ClassifiedTool, json!({})),
            "write the shelf as a number",
        ),
    ];
    for (failure, text) in failures {
        let failure = failure.unwrap_err();
        assert!(failure.contains(text), "{text} is missing in: {failure}");
    }
}
