use serde_json::json;
use std::sync::Arc;
use tinytools::{IntoTools, Tool, toolbox};

struct Library {
    name: &'static str,
}

#[toolbox(prefix = "library", read_only)]
impl Library {
    const SHELVES: u32 = 3;

    fn new(name: &'static str) -> Self {
        Self { name }
    }

    /// Find documents.
    #[tool]
    async fn search(
        &self,
        query: String,
        #[arg(default = 3, maximum = 9)] limit: u8,
    ) -> Result<String, String> {
        Ok(format!("{query} {limit} in {}", self.name))
    }

    /// Count shelves.
    #[tool]
    fn shelves() -> u32 {
        Self::SHELVES
    }

    /// Never there.
    #[cfg(any())]
    #[tool]
    fn gone(&self, query: Unknown) -> Unknown {
        query
    }
}

fn main() {
    assert_eq!(Library::shelves(), 3);
    let library = Arc::new(Library::new("Oslo"));
    let tools: Vec<Arc<dyn Tool>> = library.into_tools();
    assert_eq!(
        tools.iter().map(|tool| tool.name()).collect::<Vec<_>>(),
        ["library_search", "library_shelves"]
    );
    assert!(tools[0].policy().side_effects.read_only);
    assert_eq!(
        tools[0].parameters_schema()["properties"]["limit"]["default"],
        json!(3)
    );
    assert_eq!(Library::new("Rome").into_tools().len(), 2);
}
