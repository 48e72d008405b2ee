use tinytools::tool;

/// Find documents.
#[tool]
fn search(query: String, #[arg(minimum = 10, maximum = 5)] limit: u32) -> String {
    format!("{query} {limit}")
}

fn main() {}
