use tinytools::tool;

/// Find documents.
#[tool]
fn search(query: String, #[arg(default = Some(10))] limit: Option<u32>) -> String {
    format!("{query} {limit:?}")
}

fn main() {}
