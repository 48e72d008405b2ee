use tinytools::tool;

/// Find a tool.
#[tool(name = "tool_search")]
fn search(query: String) -> String {
    query
}

fn main() {}
