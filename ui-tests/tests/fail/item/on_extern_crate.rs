use tinytools::tool;

/// Find documents.
#[tool]
extern crate std as standard;

fn main() {}
