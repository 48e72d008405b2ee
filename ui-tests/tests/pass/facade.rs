mod facade {
    pub use tinytools as tools;
}

/// Find documents.
#[facade::tools::tool(crate = crate::facade::tools)]
fn search(query: String) -> String {
    query
}

fn main() {
    assert_eq!(SearchTool::NAME, "search");
}
