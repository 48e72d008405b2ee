use tinytools::tool;

struct Query {
    text: String,
}

/// Find documents.
#[tool]
fn search(query: Option<Query>) -> usize {
    query.map_or(0, |query| query.text.len())
}

fn main() {}
