use tinytools::tools;

mod library {
    use tinytools::tool;

    /// Find documents.
    #[tool]
    fn search(query: String) -> String {
        query
    }
}

fn main() {
    println!("{}", tools![library::SearchTool].len());
}
