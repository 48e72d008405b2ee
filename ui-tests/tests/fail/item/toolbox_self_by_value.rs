use tinytools::toolbox;

struct Index;

#[toolbox]
impl Index {
    /// Find documents.
    #[tool(read_only)]
    fn search(self, query: String) -> String {
        query
    }
}

fn main() {}
