use tinytools::tool;

/// Refund an order.
#[tool(payment, approval_required, background_safe)]
fn refund(order: String) -> String {
    order
}

fn main() {}
