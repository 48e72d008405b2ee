use tinytools::tool;

/// Find documents.
#[tool]
fn search(#[arg(minimum = 1)] query: String) -> String {
    query
}

fn main() {}
