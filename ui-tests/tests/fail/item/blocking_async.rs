use tinytools::tool;

/// Find documents.
#[tool(read_only, blocking)]
async fn search(query: String) -> String {
    query
}

fn main() {}
