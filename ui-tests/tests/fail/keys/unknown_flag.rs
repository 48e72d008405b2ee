use tinytools::tool;

/// Find documents.
#[tool(readonly)]
fn search(query: String) -> String {
    query
}

fn main() {}
