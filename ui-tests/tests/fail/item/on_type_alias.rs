use tinytools::tool;

/// What is found.
#[tool]
type Hit = String;

fn main() {}
