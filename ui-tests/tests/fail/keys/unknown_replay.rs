use tinytools::tool;

/// Read a file.
#[tool(read_only, replay = Always)]
fn read(path: String) -> String {
    path
}

fn main() {}
