use tinytools::tool;

/// Find documents.
#[tool]
fn search(#[arg(rename = q)] query: String) -> String {
    query
}

fn main() {}
