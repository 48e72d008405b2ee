use tinytools::tool;

/// Find documents.
#[tool]
union Search {
    text: u32,
}

fn main() {}
