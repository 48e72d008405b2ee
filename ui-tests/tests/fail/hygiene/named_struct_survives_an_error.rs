use tinytools::{tool, tools};

/// Find documents.
#[tool(struct_name = Finder, timeout_ms = 0)]
fn search(query: String) -> String {
    query
}

fn main() {
    println!("{}", tools![Finder].len());
}
