use tinytools::tool;

/// Find documents.
#[tool]
fn search(query: String, #[arg(choices(10, "twenty"))] limit: u32) -> String {
    format!("{query} {limit}")
}

fn main() {}
