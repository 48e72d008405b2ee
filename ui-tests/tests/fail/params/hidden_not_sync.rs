use std::cell::Cell;
use tinytools::tool;

/// Count a visit.
#[tool]
fn count(#[hidden] visits: &Cell<u32>) -> u32 {
    visits.get()
}

fn main() {}
