use tinytools::{tool, tools};

/// Find documents.
#[tool]
fn search(query: String) -> String {
    query
}

/// Find documents by author.
#[tool(name = "search")]
fn search_authors(author: String) -> String {
    author
}

fn main() {
    println!("{}", tools![SearchTool, SearchAuthorsTool].len());
}
