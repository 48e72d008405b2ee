//! What `#[tool]` costs the compiler, beside the same tools written by hand with a derived struct each.
//!
//! `cargo bench -p tinytools-derive --bench compile_cost` generates crates of 50 and 200 tools with four parameters in
//! both styles, and times `cargo check` and a debug `cargo build` of each crate alone, with its dependencies already
//! built and nothing incremental. An empty crate with the same dependencies shows what Cargo itself takes of that.
//! Last comes what the macro itself takes of the check.
//!
//! The goals: checking 200 annotated tools takes at most a quarter of the derived ones, and the macro at most half of
//! that.

mod expansion;
mod generated;
mod style;

use std::error::Error;
use std::time::Duration;

use generated::Generated;
use style::{ANNOTATED, DERIVED};

type Outcome<T> = Result<T, Box<dyn Error>>;

const TOOLS: [usize; 2] = [50, 200];

fn main() -> Outcome<()> {
    // `cargo test --all-targets` runs a bench without this argument.
    if !std::env::args().any(|argument| argument == "--bench") {
        return Ok(());
    }
    println!(
        "{:>6} {:>6}  {:>10} {:>10}  {:>5}",
        "", "tools", "#[tool]", "derived", "ratio"
    );
    let mut checks = Vec::new();
    for command in ["check", "build"] {
        let empty = Generated::tools(&ANNOTATED, 0)?.time(command)?;
        println!("{command:>6} {:>6}  {:>7} ms", 0, empty.as_millis());
        for tools in TOOLS {
            let annotated = Generated::tools(&ANNOTATED, tools)?.time(command)?;
            let derived = Generated::tools(&DERIVED, tools)?.time(command)?;
            println!(
                "{command:>6} {tools:>6}  {:>7} ms {:>7} ms  {:>5.2}",
                annotated.as_millis(),
                derived.as_millis(),
                share(annotated, derived),
            );
            if command == "check" {
                checks.push((tools, annotated));
            }
        }
    }
    for (tools, check) in checks {
        let macros = expansion::time(&Generated::tools(&ANNOTATED, tools)?, tools)?;
        println!(
            "{:>6} {tools:>6}  {:>7} ms, {:.2} of the check",
            "macro",
            macros.as_millis(),
            share(macros, check)
        );
    }
    Ok(())
}

fn share(part: Duration, whole: Duration) -> f64 {
    part.as_secs_f64() / whole.as_secs_f64()
}
