use tinytools::tool;

/// Find documents.
#[tool]
fn search(queries: Vec<impl Into<String>>) -> usize {
    queries.len()
}

fn main() {}
