use tinytools::tool;

/// Read a file.
#[tool(read_only, trusted_roots("/srv/docs"))]
fn read(path: String) -> String {
    path
}

fn main() {}
