use tinytools::tool;

/// Find documents.
#[tool(crate = ::nowhere)]
fn search(query: String) -> String {
    query
}

fn main() {}
