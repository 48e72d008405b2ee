use tinytools::tool;

/// Find documents.
#[tool]
const SEARCH: u32 = 3;

fn main() {}
