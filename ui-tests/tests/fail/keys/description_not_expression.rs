use tinytools::tool;

#[tool(description = ;)]
fn search(query: String) -> String {
    query
}

fn main() {}
