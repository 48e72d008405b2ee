use tinytools::tool;

/// The tools of a shop.
#[tool]
mod shop {}

fn main() {}
