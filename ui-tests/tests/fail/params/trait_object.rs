use tinytools::tool;

/// Find documents.
#[tool]
fn search(filter: Box<dyn Fn(String) -> bool>) -> bool {
    filter(String::new())
}

fn main() {}
