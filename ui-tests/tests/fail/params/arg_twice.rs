use tinytools::tool;

/// Find documents.
#[tool]
fn search(
    #[arg(min_length = 1)]
    #[arg(max_length = 80)]
    query: String,
) -> String {
    query
}

fn main() {}
