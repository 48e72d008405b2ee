use tinytools::tool;

/// Find documents.
#[tool]
fn search(#[arg(choices(1, ;))] limit: u32) -> u32 {
    limit
}

fn main() {}
