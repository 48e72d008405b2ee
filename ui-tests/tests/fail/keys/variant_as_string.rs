use tinytools::tool;

/// Read a file.
#[tool(read_only, workspace = "Scoped")]
fn read(path: String) -> String {
    path
}

fn main() {}
