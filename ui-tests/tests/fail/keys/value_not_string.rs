use tinytools::tool;

/// Find documents.
#[tool(name = 123)]
fn search(query: String) -> String {
    query
}

fn main() {}
