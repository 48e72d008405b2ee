use tinytools::tool;

/// Find documents.
#[tool]
fn search(
    #[hidden]
    #[hidden]
    index: &String,
    query: String,
) -> String {
    format!("{index} {query}")
}

fn main() {}
