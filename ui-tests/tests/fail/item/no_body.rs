use tinytools::tool;

/// Find documents.
#[tool]
fn search() -> String;

fn main() {}
