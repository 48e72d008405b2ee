use tinytools::tool;

/// Delete a branch.
#[tool(read_only, destructive)]
fn delete_branch(branch: String) -> String {
    branch
}

fn main() {}
