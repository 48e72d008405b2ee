use tinytools::tool;

/// Find documents.
#[tool]
fn search(#[hidden] index: &mut String, query: String) -> String {
    format!("{index} {query}")
}

fn main() {}
