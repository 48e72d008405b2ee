use tinytools::tool;

/// Find documents.
#[tool(read_only)]
#[tool(network)]
fn search(query: String) -> String {
    query
}

fn main() {}
