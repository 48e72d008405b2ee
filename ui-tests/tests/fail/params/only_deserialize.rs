use tinytools::tool;

#[derive(serde::Deserialize)]
struct Query {
    text: String,
}

/// Find documents.
#[tool]
fn search(query: Query) -> String {
    query.text
}

fn main() {}
