use tinytools::tool;

/// Count documents.
#[tool]
fn count(query: String) -> u32 {
    query
}

fn main() {}
