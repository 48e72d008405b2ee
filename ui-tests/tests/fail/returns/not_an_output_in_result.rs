use tinytools::tool;

struct Hit {
    title: String,
}

/// Find a document.
#[tool]
fn search(query: String) -> Result<Hit, String> {
    Ok(Hit { title: query })
}

fn main() {}
