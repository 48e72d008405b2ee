use tinytools::tool;

/// Find documents.
#[tool(crate = self::tools)]
fn search(query: String) -> String {
    query
}

fn main() {}
