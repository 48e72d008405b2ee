use tinytools::tool;

/// Find documents.
#[tool]
fn search(
    #[hidden]
    #[arg(rename = "i")]
    index: &String,
    query: String,
) -> String {
    format!("{index} {query}")
}

fn main() {}
