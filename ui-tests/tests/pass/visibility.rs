mod library {
    use tinytools::tool;

    /// Find documents.
    #[tool]
    pub(crate) fn search(query: String) -> String {
        query
    }

    pub mod archive {
        use tinytools::tool;

        /// Read a document.
        #[tool]
        pub(in crate::library) fn read(path: String) -> String {
            path
        }
    }

    pub fn names() -> [&'static str; 2] {
        [SearchTool::NAME, archive::ReadTool::NAME]
    }
}

fn main() {
    assert_eq!(library::search("a".to_owned()), "a");
    assert_eq!(library::names(), ["search", "read"]);
    assert_eq!(library::SearchTool::NAME, "search");
}
