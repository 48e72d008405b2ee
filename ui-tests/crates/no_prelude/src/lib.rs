//! Nothing of the prelude is in scope, not even the macros' own names for `Option` and `Result`.

#![no_implicit_prelude]

use ::std::option::Option;
use ::std::result::Result;
use ::std::string::String;
use ::std::vec::Vec;
use ::tinytools::{tool, toolbox};

/// Find documents.
#[tool(read_only, timeout_ms = 500, tags("library"), redact("query"))]
pub async fn search(
    #[hidden] shelf: &u32,
    #[hidden] reader: Option<&u64>,
    query: String,
    #[arg(default = "en", choices("en", "no"))] language: String,
    #[arg(minimum = 1, examples(5))] limit: Option<u32>,
    words: &[String],
) -> Result<Vec<u32>, String> {
    let _ = (reader, query, language, limit, words);
    Result::Ok(::std::vec![*shelf])
}

/// Count the shelves.
#[tool]
pub fn shelves() -> u32 {
    3
}

pub struct Library;

#[toolbox(prefix = "library")]
impl Library {
    /// Tell whether a document is there.
    #[tool(read_only)]
    pub fn has(&self, title: &str) -> bool {
        title.is_empty()
    }
}

pub fn all() -> Vec<::std::sync::Arc<dyn ::tinytools::Tool>> {
    ::tinytools::tools![SearchTool, ShelvesTool]
}
