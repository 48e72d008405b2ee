use std::rc::Rc;
use tinytools::tool;

/// Tell the name of the index.
#[tool]
fn index_name(#[hidden] index: Rc<String>) -> String {
    index.to_string()
}

fn main() {}
