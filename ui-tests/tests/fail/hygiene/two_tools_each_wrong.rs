use tinytools::tool;

/// Find documents.
#[tool(nam = "find")]
fn search(query: String) -> String {
    query
}

/// Read a document.
#[tool(read_only, destructive)]
fn read(path: String) -> String {
    path
}

fn main() {}
