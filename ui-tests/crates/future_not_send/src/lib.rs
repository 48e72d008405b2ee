//! Must not compile: the future of the tool can't go from thread to thread. What is wrong is in the user's function.

use std::rc::Rc;

use tinytools::tool;

/// Find documents.
#[tool(read_only)]
pub async fn search(query: String) -> String {
    let shared = Rc::new(query);
    std::future::ready(()).await;
    shared.to_string()
}
