use tinytools::tool;

/// Find documents.
#[tool(nam = "find", timeout_ms = "long")]
fn search(query: String) -> String {
    query
}

fn main() {}
