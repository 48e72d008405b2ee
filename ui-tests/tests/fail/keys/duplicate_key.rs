use tinytools::tool;

/// Find documents.
#[tool(name = "find", name = "look_up")]
fn search(query: String) -> String {
    query
}

fn main() {}
