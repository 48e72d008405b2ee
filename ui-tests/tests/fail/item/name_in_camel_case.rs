use tinytools::tool;

/// Find documents.
#[tool(name = "findDocuments")]
fn search(query: String) -> String {
    query
}

fn main() {}
