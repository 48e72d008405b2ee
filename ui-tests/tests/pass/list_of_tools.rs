use std::sync::Arc;
use tinytools::{Tool, tool, tools};

mod billing {
    use tinytools::tool;

    /// Refund an order.
    #[tool(payment)]
    pub fn refund(order: String) -> String {
        order
    }
}

/// Find documents.
#[tool]
fn search(query: String) -> String {
    query
}

fn main() {
    let all: Vec<Arc<dyn Tool>> = tools![SearchTool, billing::RefundTool,];
    assert_eq!(
        all.iter().map(|tool| tool.name()).collect::<Vec<_>>(),
        ["search", "refund"]
    );
    assert!(tools![].is_empty());
}
