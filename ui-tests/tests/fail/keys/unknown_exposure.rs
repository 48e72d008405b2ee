use tinytools::tool;

/// Read a file.
#[tool(read_only, exposure = Later)]
fn read(path: String) -> String {
    path
}

fn main() {}
