use tinytools::tool;

/// Add one to a number.
#[tool]
extern "C" fn increment(number: u32) -> u32 {
    number + 1
}

fn main() {}
