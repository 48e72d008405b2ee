use tinytools::tool;

/// Send a letter.
#[tool(external_service, replay = Safe)]
fn send(letter: String) -> String {
    letter
}

fn main() {}
