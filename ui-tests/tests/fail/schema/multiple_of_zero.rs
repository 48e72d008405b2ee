use tinytools::tool;

/// Order eggs.
#[tool]
fn order_eggs(#[arg(multiple_of = 0)] eggs: u32) -> u32 {
    eggs
}

fn main() {}
