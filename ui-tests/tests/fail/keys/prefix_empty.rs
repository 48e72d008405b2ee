use tinytools::toolbox;

struct Index;

#[toolbox(prefix = "")]
impl Index {
    /// Find documents.
    #[tool(read_only)]
    fn search(&self, query: String) -> String {
        query
    }
}

fn main() {}
