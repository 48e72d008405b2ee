use tinytools::{schemars, serde, tool};

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(crate = "tinytools::serde")]
#[schemars(crate = "tinytools::schemars")]
enum Order {
    Newest,
    Oldest,
}

/// Find documents.
#[tool]
fn search(#[arg(default = Order::Newest)] order: Order) -> bool {
    matches!(order, Order::Oldest)
}

fn main() {}
