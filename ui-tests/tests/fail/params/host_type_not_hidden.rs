use tinytools::tool;

struct Db;

/// Find documents.
#[tool]
fn search(db: &Db, query: String) -> String {
    let _ = db;
    query
}

fn main() {}
