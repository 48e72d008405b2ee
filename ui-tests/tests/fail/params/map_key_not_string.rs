use std::collections::HashMap;
use tinytools::tool;

/// Count the pages of chapters.
#[tool]
fn count(chapters: HashMap<Vec<u8>, u32>) -> u32 {
    chapters.values().sum()
}

fn main() {}
