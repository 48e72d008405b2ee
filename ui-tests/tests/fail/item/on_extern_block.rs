use tinytools::tool;

#[tool]
unsafe extern "C" {}

fn main() {}
