#![deny(unused_must_use)]

use tinytools::tool;

async fn record(query: &str) {
    println!("{query}");
}

/// Find documents.
#[tool]
async fn search(query: String) -> String {
    record(&query);
    query
}

fn main() {}
