use tinyagents::ToolRegistry;
use tinytools::tool;

/// Find documents.
#[tool]
fn search(query: String) -> String {
    query
}

fn main() {
    let _ = ToolRegistry::new().register(search);
}
