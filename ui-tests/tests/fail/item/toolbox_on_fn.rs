use tinytools::toolbox;

/// Find documents.
#[toolbox]
fn search(query: String) -> String {
    query
}

fn main() {}
