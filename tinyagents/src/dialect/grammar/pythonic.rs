//! Lists of Python calls between tokens, as Llama 4 writes them.

use super::call_line::CallLine;
use super::machine::Opener;

const OPEN: &str = "<|python_start|>";

pub(super) const OPENER: Opener = Opener::new(OPEN, || {
    Box::new(CallLine::list_after(OPEN.len(), &["<|python_end|>"]))
});
