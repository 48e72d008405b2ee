use tinytools::tool;

/// Find documents.
#[tool]
fn search(query: String, #[arg(default = 0, minimum = 1)] limit: u32) -> String {
    format!("{query} {limit}")
}

fn main() {}
