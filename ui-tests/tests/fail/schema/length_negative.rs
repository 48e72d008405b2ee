use tinytools::tool;

/// Find documents.
#[tool]
fn search(#[arg(min_length = -1)] query: String) -> String {
    query
}

fn main() {}
