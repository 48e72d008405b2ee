use tinytools::{Tool, tool};

const FIND: &str = "Find documents.";

#[tool(description = FIND)]
fn search(query: String) -> String {
    query
}

#[tool(description = concat!("Read ", "a document."))]
fn read(path: String) -> String {
    path
}

/// Count
/// documents.
///
/// ```text
/// count  all
/// ```
#[tool]
fn count(#[arg(description = FIND)] query: String) -> usize {
    query.len()
}

fn main() {
    assert_eq!(SearchTool.description(), FIND);
    assert_eq!(ReadTool.description(), "Read a document.");
    assert_eq!(
        CountTool.description(),
        "Count documents.\n\n```text\ncount  all\n```"
    );
    assert_eq!(ui_tests::property(&CountTool, "query")["description"], FIND);
}
