use tinytools::tool;

/// Find documents.
#[tool(name = "_search")]
fn search(query: String) -> String {
    query
}

fn main() {}
