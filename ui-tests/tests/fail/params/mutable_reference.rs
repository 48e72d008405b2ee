use tinytools::tool;

/// Find documents.
#[tool]
fn search(query: &mut String) -> String {
    query.clone()
}

fn main() {}
