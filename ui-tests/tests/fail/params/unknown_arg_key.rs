use tinytools::tool;

/// Find documents.
#[tool]
fn search(#[arg(desc = "What to look for.")] query: String) -> String {
    query
}

fn main() {}
