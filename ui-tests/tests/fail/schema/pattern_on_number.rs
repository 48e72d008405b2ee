use tinytools::tool;

/// Find a book.
#[tool]
fn find_book(#[arg(pattern = "^97[89]")] isbn: u64) -> u64 {
    isbn
}

fn main() {}
