use tinytools::tool;

/// Find documents.
#[tool]
fn find_documents_in_the_index_of_the_whole_library_and_its_archive_by_one_word(
    query: String,
) -> String {
    query
}

fn main() {}
