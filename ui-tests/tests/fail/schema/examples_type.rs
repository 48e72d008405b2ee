use tinytools::tool;

/// Find documents.
#[tool]
fn search(query: String, #[arg(examples("ten"))] limit: u32) -> String {
    format!("{query} {limit}")
}

fn main() {}
