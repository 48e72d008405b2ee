use tinytools::tool;

/// Install a package.
#[tool(installs_dependencies, read_only)]
fn install(package: String) -> String {
    package
}

fn main() {}
