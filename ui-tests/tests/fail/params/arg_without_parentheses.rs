use tinytools::tool;

/// Find documents.
#[tool]
fn search(#[arg = "What to look for."] query: String) -> String {
    query
}

fn main() {}
