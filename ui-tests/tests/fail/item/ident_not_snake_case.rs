#![allow(non_snake_case)]

use tinytools::tool;

/// Find documents.
#[tool]
fn findDocuments(query: String) -> String {
    query
}

fn main() {}
