use tinytools::tool;

/// Find documents.
#[tool(struct_name = "Finder")]
fn search(query: String) -> String {
    query
}

fn main() {}
