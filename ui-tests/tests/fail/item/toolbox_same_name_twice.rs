use tinytools::toolbox;

struct Index;

#[toolbox]
impl Index {
    /// Find documents.
    #[tool(read_only)]
    fn search(&self, query: String) -> String {
        query
    }

    /// Find authors.
    #[tool(read_only, name = "search")]
    fn search_authors(&self, author: String) -> String {
        author
    }
}

fn main() {}
