use tinytools::tool;

/// Run a program.
#[tool(read_only, runs_processes)]
fn run(program: String) -> String {
    program
}

fn main() {}
