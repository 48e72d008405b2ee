use tinytools::tool;

struct Index {
    name: String,
}

/// Tell the name of the index.
#[tool]
fn index_name(#[hidden] index: Index) -> String {
    index.name
}

fn main() {}
