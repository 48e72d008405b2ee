use tinytools::tool;

/// Find documents.
#[tool(= "find")]
fn search(query: String) -> String {
    query
}

fn main() {}
