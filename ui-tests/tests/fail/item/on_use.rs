use tinytools::tool;

/// Find documents.
#[tool]
use std::process::exit;

fn main() {
    exit(0);
}
