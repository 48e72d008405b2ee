use tinytools::tool;

/// Find documents.
#[tool]
fn search(#[hidden(shared)] index: &String, query: String) -> String {
    format!("{index} {query}")
}

fn main() {}
