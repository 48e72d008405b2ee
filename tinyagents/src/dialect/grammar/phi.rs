//! `functools` before a JSON list, as Phi-4-mini writes it.

use super::json_calls::JsonCalls;
use super::machine::Opener;

const OPEN: &str = "functools[";

pub(super) const OPENER: Opener = Opener::new(OPEN, || {
    // The bracket belongs to the list.
    Box::new(JsonCalls::after(OPEN.len() - 1, &[]))
})
.at_line_start();
