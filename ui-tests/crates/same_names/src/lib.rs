//! Two tools in one module whose parameters and defaults have the same names, beside a user's items of those names.

use tinytools::{tool, tools};

const LIMIT: u8 = 3;

fn limit() -> u8 {
    LIMIT
}

/// Find documents.
#[tool(read_only)]
pub fn search(
    query: &str,
    #[arg(default = limit(), maximum = 9)] limit: u8,
    #[arg(default = "en", choices("en", "no"))] language: String,
) -> String {
    format!("{query} {limit} {language}")
}

/// Find authors.
#[tool(read_only)]
pub async fn search_authors(
    query: String,
    #[arg(default = LIMIT.into(), maximum = 99)] limit: u32,
    #[arg(default = "no", pattern = "^[a-z]{2}$")] language: &str,
) -> String {
    format!("{query} {limit} {language}")
}

pub fn all() -> Vec<std::sync::Arc<dyn tinytools::Tool>> {
    tools![SearchTool, SearchAuthorsTool]
}
