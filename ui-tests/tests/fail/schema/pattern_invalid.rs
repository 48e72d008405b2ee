use tinytools::tool;

/// Find a book.
#[tool]
fn find_book(#[arg(pattern = "^97[89")] isbn: String) -> String {
    isbn
}

fn main() {}
