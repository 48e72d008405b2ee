use tinytools::tool;

/// Find documents.
#[tool]
fn search(query: String, #[arg(default = 200, maximum = 100)] limit: u32) -> String {
    format!("{query} {limit}")
}

fn main() {}
