use tinytools::tool;

#[tool]
fn search(query: String) -> String {
    query
}

fn main() {}
