use std::thread::JoinHandle;
use tinytools::tool;

/// Start a search.
#[tool]
fn search(query: String) -> JoinHandle<String> {
    std::thread::spawn(move || query)
}

fn main() {}
