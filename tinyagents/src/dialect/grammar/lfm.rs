//! Lists of Python calls between tokens, as LFM2 writes them.

use super::call_line::CallLine;
use super::kimi;
use super::machine::Opener;

const OPEN: &str = "<|tool_call_start|>";

pub(super) const OPENER: Opener = Opener::new(OPEN, || {
    Box::new(CallLine::list_after(OPEN.len(), &[kimi::END]))
});
