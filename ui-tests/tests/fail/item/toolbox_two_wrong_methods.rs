use tinytools::toolbox;

struct Index;

#[toolbox]
impl Index {
    #[tool(read_only)]
    fn search(&self, query: String) -> String {
        query
    }

    /// Read a document.
    #[tool(readonly)]
    fn read(&self, path: String) -> String {
        path
    }
}

fn main() {}
