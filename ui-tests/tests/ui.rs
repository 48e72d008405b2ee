//! Programs that must compile, and programs that must fail with a message that helps.
//!
//! `TRYBUILD=overwrite cargo test -p ui-tests --test ui` rewrites the expected messages.

use std::process::Command;

/// The compiler whose messages the `.stderr` files hold.
const COMPILER: &str = "rustc 1.95.";

#[test]
fn every_case_compiles_or_fails_as_written() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/pass/*.rs");
    let compiler = compiler();
    if compiler.starts_with(COMPILER) {
        cases.compile_fail("tests/fail/*/*.rs");
    } else {
        eprintln!(
            "fail cases skipped: the messages are those of {COMPILER}x, and this is {compiler}"
        );
    }
}

fn compiler() -> String {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("--version").output();
    output.map_or_else(
        |error| format!("unknown ({error})"),
        |output| String::from_utf8_lossy(&output.stdout).trim().to_owned(),
    )
}
