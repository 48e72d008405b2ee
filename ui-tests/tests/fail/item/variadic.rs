use tinytools::tool;

/// Find documents.
#[tool]
fn search(words: ...) {}

fn main() {}
