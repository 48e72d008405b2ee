use tinytools::tool;

/// Find documents.
#[tool]
fn search(query: String, limit: Option<Option<u32>>) -> String {
    format!("{query} {limit:?}")
}

fn main() {}
