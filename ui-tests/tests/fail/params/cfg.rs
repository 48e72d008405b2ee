use tinytools::tool;

/// Find documents.
#[tool]
fn search(query: String, #[cfg(unix)] limit: u32) -> String {
    format!("{query} {limit}")
}

fn main() {}
