use tinytools::tool;

/// Find documents.
#[tool(read_only(true))]
fn search(query: String) -> String {
    query
}

fn main() {}
