use tinytools::tool;

/// Find documents.
#[tool]
fn search(query: String) -> String {
    format!("{query} {args:?}")
}

fn main() {}
