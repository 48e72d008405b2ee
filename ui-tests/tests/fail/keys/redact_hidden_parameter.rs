use tinytools::tool;

/// Sign in.
#[tool(network, redact("vault"))]
fn sign_in(#[hidden] vault: &String, user: String) -> String {
    format!("{vault} {user}")
}

fn main() {}
