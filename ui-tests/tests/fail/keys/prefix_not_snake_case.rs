use tinytools::toolbox;

struct Index;

#[toolbox(prefix = "my-index")]
impl Index {
    /// Find documents.
    #[tool(read_only)]
    fn search(&self, query: String) -> String {
        query
    }
}

fn main() {}
