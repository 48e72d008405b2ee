use tinytools::tool;

/// Order eggs.
#[tool]
fn order_eggs(#[arg(default = 10, multiple_of = 6)] eggs: u32) -> u32 {
    eggs
}

fn main() {}
