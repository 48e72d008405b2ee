use tinytools::tool;

/// Find documents.
#[tool]
fn search(#[arg(min_length = 9, max_length = 3)] query: String) -> String {
    query
}

fn main() {}
