use tinytools::tool;

struct Hit {
    title: String,
}

/// Find documents.
#[tool]
fn search(query: String) -> Vec<Hit> {
    vec![Hit { title: query }]
}

fn main() {}
