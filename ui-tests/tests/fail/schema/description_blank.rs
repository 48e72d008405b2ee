use tinytools::tool;

/// Find documents.
#[tool]
fn search(#[arg(description = "")] query: String) -> String {
    query
}

fn main() {}
