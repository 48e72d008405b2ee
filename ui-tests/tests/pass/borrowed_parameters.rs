use serde_json::json;
use std::path::Path;
use tinytools::tool;

/// Find words in a file.
#[tool(read_only)]
async fn grep(
    path: &Path,
    words: &[String],
    flags: Option<&str>,
    within: Option<&Path>,
    lines: Option<&[u32]>,
) -> String {
    format!(
        "{} {words:?} {flags:?} {within:?} {lines:?}",
        path.display()
    )
}

fn main() {
    let answer = ui_tests::call(
        &GrepTool,
        json!({"path": "a.txt", "words": ["x"], "flags": "i", "lines": [1]}),
    );
    assert_eq!(
        answer.unwrap().text(),
        r#"a.txt ["x"] Some("i") None Some([1])"#
    );
    assert_eq!(
        ui_tests::property(&GrepTool, "flags"),
        json!({"type": "string"})
    );
}
