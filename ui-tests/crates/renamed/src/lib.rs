//! `tinytools` under another name, as `crate = …` of every macro.

use renamed::{IntoTools, Tool, tool, toolbox, tools};
use std::sync::Arc;

/// Find documents.
#[tool(crate = ::renamed, read_only)]
pub async fn search(
    #[hidden] limit: &u32,
    query: String,
    #[arg(default = "en")] language: &str,
) -> Result<String, String> {
    Ok(format!("{query} {language} {limit}"))
}

pub struct Library;

#[toolbox(crate = ::renamed)]
impl Library {
    /// Count the shelves.
    #[tool(read_only)]
    pub fn shelves(&self) -> u32 {
        3
    }
}

pub fn all() -> Vec<Arc<dyn Tool>> {
    let mut all = tools![SearchTool];
    all.extend(Library.into_tools());
    all
}
