use tinytools::tool;

/// Find documents.
#[tool(name = "find"huh)]
fn search(query: String) -> String {
    query
}

fn main() {}
