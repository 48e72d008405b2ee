use tinytools::tool;

/// Find documents.
#[tool]
fn search(#[hidden] index: &String, #[arg(rename = "index")] query: String) -> String {
    format!("{index} {query}")
}

fn main() {}
