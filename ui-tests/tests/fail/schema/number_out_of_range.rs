use tinytools::tool;

/// Find documents.
#[tool]
fn search(
    query: String,
    #[arg(maximum = 999999999999999999999999999999999999999999)] limit: f64,
) -> String {
    format!("{query} {limit}")
}

fn main() {}
