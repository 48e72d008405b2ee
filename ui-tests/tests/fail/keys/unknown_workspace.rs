use tinytools::tool;

/// Read a file.
#[tool(read_only, workspace = scoped)]
fn read(path: String) -> String {
    path
}

fn main() {}
