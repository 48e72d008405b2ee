use tinytools::toolbox;

struct Index;

#[toolbox]
impl Index {
    /// Find documents.
    #[tool(read_only)]
    fn search(&mut self, query: String) -> String {
        query
    }
}

fn main() {}
