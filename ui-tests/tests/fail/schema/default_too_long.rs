use tinytools::tool;

/// Find documents.
#[tool]
fn search(query: String, #[arg(default = "english", max_length = 2)] language: String) -> String {
    format!("{query} {language}")
}

fn main() {}
