use tinytools::tool;

/// Show a page.
#[tool(read_only, return_direct, exposure = Hidden)]
fn show(page: u32) -> u32 {
    page
}

fn main() {}
