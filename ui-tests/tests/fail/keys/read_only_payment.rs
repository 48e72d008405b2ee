use tinytools::tool;

/// Refund an order.
#[tool(read_only, payment)]
fn refund(order: String) -> String {
    order
}

fn main() {}
