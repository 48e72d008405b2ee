use tinytools::tool;

/// Find documents.
#[tool(nam = "find")]
fn search(query: String) -> String {
    query
}

fn main() {}
