use tinytools::tool;

/// Find documents.
#[tool(name = "2d_search")]
fn search(query: String) -> String {
    query
}

fn main() {}
