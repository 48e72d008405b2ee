use tinytools::tool;

/// Find documents.
#[tool]
unsafe fn search(query: String) -> String {
    query
}

fn main() {}
