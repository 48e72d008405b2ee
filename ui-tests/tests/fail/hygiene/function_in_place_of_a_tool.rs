use std::sync::Arc;

use tinytools::{Tool, tool};

/// Find documents.
#[tool]
fn search(query: String) -> String {
    query
}

fn main() {
    let tool: Arc<dyn Tool> = Arc::new(search);
    println!("{}", tool.name());
}
