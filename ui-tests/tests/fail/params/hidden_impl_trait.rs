use tinytools::tool;

/// Find documents.
#[tool]
fn search(#[hidden] index: &impl ToString, query: String) -> String {
    format!("{} {query}", index.to_string())
}

fn main() {}
