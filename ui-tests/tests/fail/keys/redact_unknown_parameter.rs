use tinytools::tool;

/// Sign in.
#[tool(network, redact("pasword"))]
fn sign_in(user: String, password: String) -> String {
    user + &password
}

fn main() {}
