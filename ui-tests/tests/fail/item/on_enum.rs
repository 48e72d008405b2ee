use tinytools::tool;

/// An order.
#[tool]
enum Order {
    Ascending,
    Descending,
}

fn main() {}
