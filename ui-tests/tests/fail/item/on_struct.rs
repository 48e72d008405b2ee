use tinytools::tool;

/// A query.
#[tool]
struct Query {
    text: String,
}

fn main() {}
