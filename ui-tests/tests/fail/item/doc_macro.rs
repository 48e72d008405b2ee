use tinytools::tool;

#[doc = include_str!("search.md")]
#[tool]
fn search(query: String) -> String {
    query
}

fn main() {}
