use tinytools::tool;

/// Find documents.
#[tool(name = "find_documents_in_the_index_of_the_whole_library_and_its_archive_")]
fn search(query: String) -> String {
    query
}

fn main() {}
