use tinytools::tool;

/// Find documents.
#[tool]
fn search(query: String, #[arg(default = "up", choices("asc", "desc"))] order: String) -> String {
    format!("{query} {order}")
}

fn main() {}
