//! The tools, among everything that the parent module shadows.

#![allow(unused_imports)]

use super::*;

/// Find documents.
#[tinytools::tool(read_only, timeout_ms = 500, tags("library"), max_result_chars = 9)]
pub async fn search(
    #[hidden] shelf: &u32,
    #[hidden] shared: ::std::sync::Arc<u32>,
    #[hidden] ctx: &dyn tinytools::ToolRunContext,
    #[hidden] reader: ::std::option::Option<&u64>,
    query: ::std::string::String,
    #[arg(default = "en", choices("en", "no"))] language: ::std::string::String,
    #[arg(minimum = 1, examples(5))] limit: ::std::option::Option<u32>,
    words: &[::std::string::String],
) -> ::std::result::Result<::std::vec::Vec<u32>, ::std::string::String> {
    let _ = (
        shared,
        ctx.is_cancelled(),
        reader,
        query,
        language,
        limit,
        words,
    );
    ::std::result::Result::Ok(::std::vec![*shelf])
}

/// Count the shelves.
#[tinytools::tool]
pub fn shelves() -> u32 {
    3
}

pub struct Library;

#[tinytools::toolbox(prefix = "library")]
impl Library {
    /// Tell the number of a shelf.
    #[tool(read_only)]
    pub fn number(&self, shelf: u32) -> u32 {
        shelf
    }
}

pub fn all() -> ::std::vec::Vec<::std::sync::Arc<dyn tinytools::Tool>> {
    tinytools::tools![SearchTool, ShelvesTool]
}
