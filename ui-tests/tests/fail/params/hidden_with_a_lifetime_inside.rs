use std::borrow::Cow;
use tinytools::tool;

/// Find documents.
#[tool]
fn search<'a>(#[hidden] index: &Cow<'a, str>, query: String) -> String {
    format!("{index} {query}")
}

fn main() {}
