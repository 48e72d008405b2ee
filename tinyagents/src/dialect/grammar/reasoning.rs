//! What a model thinks before it speaks. Nothing in it is a call.

use super::machine::{Machine, Opener, Progress, Then};
use crate::dialect::offered::Offered;

const THINK: &str = "<think>";
/// Closes reasoning.
pub(in crate::dialect) const THINK_END: &str = "</think>";
const THINKING: &str = "<thinking>";
const MISTRAL: &str = "[THINK]";
const COMMAND: &str = "<|START_THINKING|>";

pub(super) const OPENERS: [Opener; 5] = [
    Opener::new(THINK, || turn(THINK, Then::Reasoning(&[THINK_END]))).at_line_start(),
    Opener::new(THINKING, || {
        turn(THINKING, Then::Reasoning(&["</thinking>"]))
    })
    .at_line_start(),
    Opener::new(MISTRAL, || turn(MISTRAL, Then::Reasoning(&["[/THINK]"]))),
    Opener::new(COMMAND, || {
        turn(COMMAND, Then::Reasoning(&["<|END_THINKING|>"]))
    }),
    // Some chat templates put the opening tag into the prompt.
    Opener::new(THINK_END, || turn(THINK_END, Then::Restart)),
];

fn turn(marker: &'static str, then: Then) -> Box<dyn Machine> {
    Box::new(Turn { marker, then })
}

#[derive(Debug)]
struct Turn {
    marker: &'static str,
    then: Then,
}

impl Machine for Turn {
    fn advance(&mut self, _: &str, _: bool, _: &Offered<'_>) -> Progress {
        Progress::markup(self.marker.len(), self.then)
    }
}
