use tinytools::tool;

/// Find documents.
#[tool(nam = "find")]
fn search(#[arg(min_length = 1)] query: String) -> String {
    query
}

fn main() {
    println!("{}", search("oslo".to_owned()));
}
