use tinytools::tool;

/// Read a file.
#[tool(read_only, scope = Everyone)]
fn read(path: String) -> String {
    path
}

fn main() {}
