use tinytools::tool;

/// Find documents.
#[tool(tags = "library")]
fn search(query: String) -> String {
    query
}

fn main() {}
