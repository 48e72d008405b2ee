use tinytools::toolbox;

struct Index;

trait Search {
    fn search(&self, query: String) -> String;
}

#[toolbox]
impl Search for Index {
    /// Find documents.
    #[tool]
    fn search(&self, query: String) -> String {
        query
    }
}

fn main() {}
