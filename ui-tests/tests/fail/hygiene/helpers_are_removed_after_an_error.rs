use tinytools::tool;

/// Find documents.
#[tool(nam = "find")]
fn search(
    #[hidden] index: &String,
    /// What to look for.
    #[arg(min_length = 1)]
    query: String,
) -> String {
    format!("{index} {query}")
}

fn main() {}
