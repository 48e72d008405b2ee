use tinytools::tool;

/// Find documents.
#[tool]
fn search(query: String) -> String
where
    String: Clone,
{
    query
}

fn main() {}
