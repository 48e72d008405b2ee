//! An action as a JSON list, between tokens or in a fence under `Action:`, as Command R writes it.

use super::fence::{FENCE, JSON_FENCE};
use super::json_calls::JsonCalls;
use super::machine::Opener;
use super::wrapped::{Choice, Silent, Wrapped};

const START: &str = "<|START_ACTION|>";
const ACTION: &str = "Action:";
const RESPONSE: [&str; 2] = ["<|START_RESPONSE|>", "<|END_RESPONSE|>"];

pub(super) const OPENERS: [Opener; 4] = [
    Opener::new(START, || {
        Box::new(JsonCalls::after(START.len(), &["<|END_ACTION|>"]))
    }),
    Opener::new(ACTION, || Box::new(Wrapped::new(ACTION.len(), action))).at_line_start(),
    Opener::new(RESPONSE[0], || Box::new(Silent(RESPONSE[0].len()))),
    Opener::new(RESPONSE[1], || Box::new(Silent(RESPONSE[1].len()))),
];

fn action(rest: &str) -> Choice {
    if rest.starts_with(JSON_FENCE) {
        Choice::Inner(0, Box::new(JsonCalls::after(JSON_FENCE.len(), &[FENCE])))
    } else if JSON_FENCE.starts_with(rest) {
        Choice::More
    } else {
        Choice::No
    }
}
