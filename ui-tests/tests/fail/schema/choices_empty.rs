use tinytools::tool;

/// Find documents.
#[tool]
fn search(query: String, #[arg(choices())] order: String) -> String {
    format!("{query} {order}")
}

fn main() {}
