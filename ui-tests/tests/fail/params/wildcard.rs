use tinytools::tool;

/// Find documents.
#[tool]
fn search(_: String) -> u32 {
    0
}

fn main() {}
