//! An action of a plugin, as `InternLM2` writes it.

use super::json_calls::JsonCalls;
use super::machine::Opener;
use super::wrapped::{Choice, Wrapped};

const OPEN: &str = "<|action_start|>";
const PLUGIN: &str = "<|plugin|>";

pub(super) const OPENER: Opener = Opener::new(OPEN, || Box::new(Wrapped::new(OPEN.len(), plugin)));

fn plugin(rest: &str) -> Choice {
    if rest.starts_with(PLUGIN) {
        let calls = JsonCalls::after(PLUGIN.len(), &["<|action_end|>"]);
        Choice::Inner(0, Box::new(calls))
    } else if PLUGIN.starts_with(rest) {
        Choice::More
    } else {
        Choice::No
    }
}
