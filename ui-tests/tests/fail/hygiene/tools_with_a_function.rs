use tinytools::{tool, tools};

/// Find documents.
#[tool]
fn search(query: String) -> String {
    query
}

fn main() {
    println!("{}", tools![search].len());
}
