use tinytools::tool;

struct Query {
    text: String,
}

struct Order {
    descending: bool,
}

/// Find documents.
#[tool]
fn search(query: Query, order: Order) -> String {
    format!("{} {}", query.text, order.descending)
}

fn main() {}
