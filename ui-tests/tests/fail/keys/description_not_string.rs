use tinytools::tool;

#[tool(description = 5)]
fn search(query: String) -> String {
    query
}

fn main() {}
