use tinytools::tool;

/// Read a file.
#[tool(read_only, timeout_ms = 2.5)]
fn read(path: String) -> String {
    path
}

fn main() {}
