use tinytools::tool;

/// Find documents.
#[tool]
fn search(query: String, #[arg(default)] limit: u32) -> String {
    format!("{query} {limit}")
}

fn main() {}
