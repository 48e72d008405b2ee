use tinytools::tool;

/// Find documents.
#[tool(prefix = "library")]
fn search(query: String) -> String {
    query
}

fn main() {}
