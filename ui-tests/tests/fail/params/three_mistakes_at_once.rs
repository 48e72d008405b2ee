use tinytools::tool;

/// Find documents.
#[tool]
fn search(
    (first, second): (String, String),
    #[arg(desc = "How many.")] limit: u32,
    #[hidden(shared)] index: &String,
) -> String {
    format!("{first} {second} {limit} {index}")
}

fn main() {}
