use tinytools::tool;

/// The number of documents.
#[tool]
static DOCUMENTS: u32 = 3;

fn main() {}
