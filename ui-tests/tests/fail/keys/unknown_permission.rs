use tinytools::tool;

/// Read a file.
#[tool(read_only, permission = Admin)]
fn read(path: String) -> String {
    path
}

fn main() {}
