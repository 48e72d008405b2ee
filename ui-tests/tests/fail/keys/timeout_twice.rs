use tinytools::tool;

/// Read a file.
#[tool(read_only, timeout_ms = 500, timeout = Unbounded)]
fn read(path: String) -> String {
    path
}

fn main() {}
