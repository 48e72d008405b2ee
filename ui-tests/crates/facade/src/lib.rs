//! A host that re-exports `tinytools`: its users name the host alone.

pub mod host {
    pub use tinytools;
    pub use tinytools::*;
}

/// Tools of a user who depends on the host.
pub mod user {
    use crate::host::{IntoTools, Tool, tool, toolbox, tools};
    use std::sync::Arc;

    /// Find documents.
    #[tool(crate = crate::host, read_only)]
    pub fn search(query: &str, limit: Option<u32>) -> String {
        format!("{query} {limit:?}")
    }

    pub struct Library;

    #[toolbox(crate = crate::host::tinytools)]
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
}
