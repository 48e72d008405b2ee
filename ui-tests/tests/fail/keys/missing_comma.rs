use tinytools::tool;

/// Find documents.
#[tool(read_only network)]
fn search(query: String) -> String {
    query
}

fn main() {}
