use std::rc::Rc;
use tinytools::tool;

/// Find documents.
#[tool]
async fn search(query: String) -> String {
    let shared = Rc::new(query);
    std::future::ready(()).await;
    shared.to_string()
}

fn main() {}
