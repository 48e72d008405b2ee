use tinytools::tool;

/// Find documents.
#[tool(name = "find documents")]
fn search(query: String) -> String {
    query
}

fn main() {}
