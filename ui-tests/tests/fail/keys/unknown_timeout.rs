use tinytools::tool;

/// Read a file.
#[tool(read_only, timeout = Forever)]
fn read(path: String) -> String {
    path
}

fn main() {}
