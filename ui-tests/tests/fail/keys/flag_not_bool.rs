use tinytools::tool;

/// Find documents.
#[tool(read_only = "yes")]
fn search(query: String) -> String {
    query
}

fn main() {}
