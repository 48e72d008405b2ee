use tinytools::{Tool, tool, tools};

/// Find documents.
#[tool(nam = "find")]
fn search(query: String) -> String {
    query
}

fn main() {
    println!("{} {}", SearchTool::NAME, SearchTool.name());
    println!("{}", tools![SearchTool].len());
}
