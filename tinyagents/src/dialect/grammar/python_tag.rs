//! `<|python_tag|>` before JSON, as Llama 3 writes it.

use super::json_calls::JsonCalls;
use super::machine::Opener;

const OPEN: &str = "<|python_tag|>";

pub(super) const OPENER: Opener = Opener::new(OPEN, || {
    Box::new(JsonCalls::after(OPEN.len(), &["<|eom_id|>", "<|eot_id|>"]))
});
