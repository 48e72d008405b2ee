use tinytools::tool;

/// Find documents.
#[tool]
fn search(#[arg(min_items = 1)] query: String) -> String {
    query
}

fn main() {}
