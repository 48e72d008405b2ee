use tinytools::tool;

/// Find documents.
#[tool]
fn search(query: String, #[arg(minimum = 0.5)] limit: u32) -> String {
    format!("{query} {limit}")
}

fn main() {}
