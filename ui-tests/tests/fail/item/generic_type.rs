use tinytools::tool;

/// Find documents.
#[tool]
fn search<T: ToString>(query: T) -> String {
    query.to_string()
}

fn main() {}
