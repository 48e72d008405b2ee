use tinytools::tool;

struct Query {
    text: String,
}

/// Find documents.
#[tool]
fn search(queries: Vec<Query>) -> usize {
    queries.iter().map(|query| query.text.len()).sum()
}

fn main() {}
