use tinytools::tool;

/// Find documents.
#[tool(tags("library", 7))]
fn search(query: String) -> String {
    query
}

fn main() {}
