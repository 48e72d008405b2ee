use tinytools::tool;

/// Send a letter.
#[tool(external_service, max_retries = 2)]
fn send(letter: String) -> String {
    letter
}

fn main() {}
