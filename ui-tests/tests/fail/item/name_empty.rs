use tinytools::tool;

/// Find documents.
#[tool(name = "")]
fn search(query: String) -> String {
    query
}

fn main() {}
