use tinytools::tool;

/// Find documents.
#[tool]
fn search(query: String, #[cfg_attr(unix, arg(maximum = 9))] limit: u32) -> String {
    format!("{query} {limit}")
}

fn main() {}
