//! Calls and parameters in tags with a prefix of their own, as `DeepSeek` writes them since V3.2.

use super::invoke::{attribute_key, first, named};
use super::machine::{Machine, Opener};
use super::parameters::Syntax;
use super::wrapped::Wrapped;

const OPEN: &str = "<｜DSML｜invoke name=\"";
const CALLS: &str = "<｜DSML｜function_calls>";

pub(super) const OPENERS: [Opener; 2] = [
    Opener::new(OPEN, begin),
    Opener::new(CALLS, || {
        Box::new(Wrapped::new(CALLS.len(), |rest| first(rest, OPEN, begin)))
    }),
];

static SYNTAX: Syntax = Syntax {
    open: "<｜DSML｜parameter name=\"",
    key: attribute_key,
    close: "</｜DSML｜parameter>",
    end: &["</｜DSML｜invoke>"],
    closers: &["</｜DSML｜function_calls>"],
};

fn begin() -> Box<dyn Machine> {
    named(OPEN, &SYNTAX)
}
