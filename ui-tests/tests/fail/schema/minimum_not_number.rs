use tinytools::tool;

/// Find documents.
#[tool]
fn search(query: String, #[arg(minimum = "one")] limit: u32) -> String {
    format!("{query} {limit}")
}

fn main() {}
