/// Find documents.
#[tool(nam = "find", timeout_ms = 0)]
pub async fn search(
    #[hidden] index: &Index,
    /// What to look for.
    #[arg(min_length = 1)]
    query: String,
) -> Vec<String> {
    index.find(&query)
}
