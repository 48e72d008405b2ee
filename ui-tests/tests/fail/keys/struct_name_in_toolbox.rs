use tinytools::toolbox;

struct Index;

#[toolbox]
impl Index {
    /// Find documents.
    #[tool(read_only, struct_name = Finder)]
    fn search(&self, query: String) -> String {
        query
    }
}

fn main() {}
