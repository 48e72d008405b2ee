use tinytools::tool;

/// Find documents.
#[tool(5000)]
fn search(query: String) -> String {
    query
}

fn main() {}
