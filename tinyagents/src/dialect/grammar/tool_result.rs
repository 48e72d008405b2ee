//! The envelope of results. A model that repeats one says text: nothing in it is a call.

use super::machine::{Machine, Opener, Progress, Then};
use super::scan::MAX_TOKEN;
use crate::dialect::envelope;
use crate::dialect::offered::Offered;

pub(super) const OPENER: Opener = Opener::new(envelope::OPEN, || Box::new(ToolResult));

#[derive(Debug)]
struct ToolResult;

impl Machine for ToolResult {
    fn advance(&mut self, region: &str, is_end: bool, _: &Offered<'_>) -> Progress {
        match region[envelope::OPEN.len()..].chars().next() {
            None if !is_end && region.len() < MAX_TOKEN => Progress::More,
            Some(next) if next == '>' || next.is_whitespace() => {
                Progress::markup(0, Then::Verbatim(&[envelope::CLOSE]))
            }
            _ => Progress::Broken(1),
        }
    }
}
