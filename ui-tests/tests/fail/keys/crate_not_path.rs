use tinytools::tool;

/// Find documents.
#[tool(crate = "tinytools")]
fn search(query: String) -> String {
    query
}

fn main() {}
