use tinytools::tool;

/// Find documents.
#[tool]
fn search(query: String) -> String {
    __INPUT.schema();
    query
}

fn main() {}
