use tinytools::tool;

/// Find documents.
#[tool]
fn search(#[arg(description = 5)] query: String) -> String {
    query
}

fn main() {}
