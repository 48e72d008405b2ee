use tinytools::tool;

/// Find documents.
#[tool]
fn search(#[arg(rename = "q")] query: String, #[arg(rename = "q")] quarter: u8) -> String {
    format!("{query} {quarter}")
}

fn main() {}
