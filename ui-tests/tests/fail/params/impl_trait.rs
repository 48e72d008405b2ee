use tinytools::tool;

/// Find documents.
#[tool]
fn search(query: impl Into<String>) -> String {
    query.into()
}

fn main() {}
