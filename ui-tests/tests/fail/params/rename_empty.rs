use tinytools::tool;

/// Find documents.
#[tool]
fn search(#[arg(rename = "")] query: String) -> String {
    query
}

fn main() {}
