use tinytools::tool;

/// Find documents.
#[tool]
fn search(#[arg(default = "English", pattern = "^[a-z]{2}$")] language: String) -> String {
    language
}

fn main() {}
