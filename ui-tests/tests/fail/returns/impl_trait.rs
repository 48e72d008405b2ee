use std::fmt::Display;
use tinytools::tool;

/// Find documents.
#[tool]
fn search(query: String) -> impl Display {
    query
}

fn main() {}
