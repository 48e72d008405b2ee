use tinytools::tool;

/// Tag a document.
#[tool]
fn tag(#[arg(min_items = 4, max_items = 2)] tags: Vec<String>) -> usize {
    tags.len()
}

fn main() {}
