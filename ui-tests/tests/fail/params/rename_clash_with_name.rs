use tinytools::tool;

/// Find documents.
#[tool]
fn search(query: String, #[arg(rename = "query")] quarter: u8) -> String {
    format!("{query} {quarter}")
}

fn main() {}
