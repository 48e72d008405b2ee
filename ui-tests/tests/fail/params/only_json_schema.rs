use tinytools::tool;

#[derive(schemars::JsonSchema)]
struct Query {
    text: String,
}

/// Find documents.
#[tool]
fn search(query: Query) -> String {
    query.text
}

fn main() {}
