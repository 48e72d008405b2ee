use tinytools::tool;

struct Index;

impl Index {
    /// Find documents.
    #[tool]
    fn search(&self, query: String) -> String {
        query
    }
}

fn main() {}
