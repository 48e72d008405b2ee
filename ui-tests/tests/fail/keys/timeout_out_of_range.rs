use tinytools::tool;

/// Read a file.
#[tool(read_only, timeout_ms = 99_999_999_999_999_999_999)]
fn read(path: String) -> String {
    path
}

fn main() {}
