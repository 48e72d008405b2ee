use tinytools::tool;

/// Read a file.
#[tool(read_only, category = Files)]
fn read(path: String) -> String {
    path
}

fn main() {}
