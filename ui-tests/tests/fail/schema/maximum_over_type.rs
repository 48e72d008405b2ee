use tinytools::tool;

/// Find documents.
#[tool]
fn search(query: String, #[arg(maximum = 300)] limit: u8) -> String {
    format!("{query} {limit}")
}

fn main() {}
