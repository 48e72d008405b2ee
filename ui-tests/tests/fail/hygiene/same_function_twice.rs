use tinytools::tool;

/// Find documents.
#[tool]
fn search(query: String) -> String {
    query
}

fn search(query: String) -> String {
    query
}

fn main() {}
