use tinytools::tool;

/// Find documents.
#[tool]
fn search<'a>(query: &'a str) -> String {
    query.to_owned()
}

fn main() {}
