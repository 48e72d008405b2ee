use tinytools::tool;

/// Run a program.
#[tool(runs_processes, sandbox = Always)]
fn run(program: String) -> String {
    program
}

fn main() {}
