//! Calls as JSON in a code fence that is the whole message.

use super::json_calls::JsonCalls;
use super::machine::{Found, Machine, Progress};
use super::scan::skip_space;
use super::wrapped::{Choice, Wrapped};
use crate::dialect::offered::Offered;

/// Opens and closes a fence.
pub(super) const FENCE: &str = "```";
/// Opens one of JSON.
pub(super) const JSON_FENCE: &str = "```json";
const LABELS: [&str; 5] = ["json", "tool_call", "tool_calls", "tool", ""];

/// Reads a fence; it counts only if nothing but such fences follows.
#[derive(Debug)]
pub(in crate::dialect) struct Fence {
    body: Wrapped,
    found: Option<Found>,
}

impl Fence {
    pub(in crate::dialect) fn new() -> Self {
        Self {
            body: Wrapped::new(FENCE.len(), label),
            found: None,
        }
    }
}

impl Machine for Fence {
    fn advance(&mut self, region: &str, is_end: bool, offered: &Offered<'_>) -> Progress {
        if region.len() < FENCE.len() {
            return if is_end || !FENCE.starts_with(region) {
                Progress::Broken(1)
            } else {
                Progress::More
            };
        }
        if !region.starts_with(FENCE) {
            return Progress::Broken(1);
        }
        if self.found.is_none() {
            match self.body.advance(region, is_end, offered) {
                Progress::Done(found) => self.found = Some(found),
                other => return other,
            }
        }
        let Some(found) = &mut self.found else {
            return Progress::More;
        };
        found.end = skip_space(region, found.end);
        let rest = &region[found.end..];
        if rest.starts_with(FENCE) {
            let calls = std::mem::take(&mut found.calls);
            return Progress::calls(found.end + FENCE.len(), calls, &[]);
        }
        if FENCE.starts_with(rest) && !is_end {
            return Progress::More;
        }
        Progress::Broken(region.len().min(found.end + 1))
    }

    fn is_tentative(&self) -> bool {
        true
    }
}

/// A label of those that calls are put under, and the calls.
fn label(rest: &str) -> Choice {
    let Some(length) = rest.find(['{', '[', '\n']) else {
        let is_label = LABELS
            .iter()
            .any(|label| label.starts_with(rest.trim_end()));
        return if is_label { Choice::More } else { Choice::No };
    };
    if !LABELS.contains(&rest[..length].trim()) {
        return Choice::No;
    }
    Choice::Inner(length, Box::new(JsonCalls::bare(true)))
}
