use tinytools::tool;

/// Read a file.
#[tool(read_only, timeout_ms = 0)]
fn read(path: String) -> String {
    path
}

fn main() {}
