use tinytools::tool;

/// Add one to a number.
#[tool]
const fn increment(number: u32) -> u32 {
    number + 1
}

fn main() {}
