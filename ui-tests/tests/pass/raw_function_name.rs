use tinytools::{Tool, tool};

/// Match a text with a pattern.
#[tool]
fn r#match(text: String) -> String {
    text
}

fn main() {
    assert_eq!(MatchTool.name(), "match");
    assert_eq!(r#match("a".to_owned()), "a");
}
