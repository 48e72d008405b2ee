use tinytools::{tool, tools};

/// Find documents.
#[cfg(any())]
#[tool]
fn search(query: Unknown) -> Unknown {
    query
}

/// Find documents.
#[tool]
#[cfg(all())]
fn search(query: String) -> String {
    query
}

/// Read a document.
#[tool]
#[cfg(any())]
fn read(path: Unknown) -> Unknown {
    path
}

/// A tool called `ReadTool` is free, since the one above is gone.
struct ReadTool;

fn main() {
    let _ = ReadTool;
    assert_eq!(tools![SearchTool].len(), 1);
}
