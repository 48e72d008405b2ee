use tinytools::tool;

struct Shop;

/// The tools of a shop.
#[tool]
impl Shop {}

fn main() {}
