use tinytools::tool;

/// Find documents.
#[tool]
fn search(query: String, #[arg(choices = "asc")] order: String) -> String {
    format!("{query} {order}")
}

fn main() {}
