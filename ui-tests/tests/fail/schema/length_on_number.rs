use tinytools::tool;

/// Find documents.
#[tool]
fn search(query: String, #[arg(max_length = 3)] limit: u32) -> String {
    format!("{query} {limit}")
}

fn main() {}
