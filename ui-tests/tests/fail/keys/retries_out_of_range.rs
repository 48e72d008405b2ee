use tinytools::tool;

/// Read a file.
#[tool(read_only, max_retries = 5_000_000_000)]
fn read(path: String) -> String {
    path
}

fn main() {}
