use tinytools::tool;

/// Find documents.
#[tool(name("find"))]
fn search(query: String) -> String {
    query
}

fn main() {}
