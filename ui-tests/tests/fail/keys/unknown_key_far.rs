use tinytools::tool;

/// Find documents.
#[tool(zzz = "find")]
fn search(query: String) -> String {
    query
}

fn main() {}
