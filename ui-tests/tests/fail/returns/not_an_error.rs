use tinytools::tool;

#[derive(Debug)]
struct Unreachable;

/// Find documents.
#[tool]
fn search(query: String) -> Result<String, Unreachable> {
    if query.is_empty() {
        Err(Unreachable)
    } else {
        Ok(query)
    }
}

fn main() {}
