use tinytools::tool;

/// Find documents.
#[tool]
fn search<const LIMIT: usize>(query: String) -> String {
    query
}

fn main() {}
