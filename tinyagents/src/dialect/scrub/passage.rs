//! Reasoning, and what is repeated word by word: in neither is anything a call.

use super::window::Window;
use crate::dialect::grammar::Find;
use crate::dialect::parsed_text::TextDelta;

/// A passage, up to what closes it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passage {
    closers: &'static [&'static str],
    is_reasoning: bool,
}

impl Passage {
    /// Reasoning; what closes it isn't shown.
    pub(super) fn reasoning(closers: &'static [&'static str]) -> Self {
        Self {
            closers,
            is_reasoning: true,
        }
    }

    /// Text for a reader, what closes it included.
    pub(super) fn verbatim(closers: &'static [&'static str]) -> Self {
        Self {
            closers,
            is_reasoning: false,
        }
    }

    /// What closes it.
    pub(super) fn closer(self) -> Option<&'static str> {
        self.closers.first().copied()
    }

    pub(super) fn is_reasoning(self) -> bool {
        self.is_reasoning
    }

    /// Hands out as much as is known to belong to it; whether it is closed.
    pub(super) fn read(self, window: &mut Window, delta: &mut TextDelta, is_end: bool) -> bool {
        let out = if self.is_reasoning {
            &mut delta.reasoning
        } else {
            &mut delta.text
        };
        let mut find = Find::new(window.at());
        let Some((place, closer)) = find.advance(window.text(), self.closers) else {
            let until = if is_end { window.end() } else { find.at() };
            window.hand_out(until, out);
            return false;
        };
        let after = place + closer.len();
        if self.is_reasoning {
            window.hand_out(place, out);
            window.skip_to(after);
        } else {
            window.hand_out(after, out);
        }
        true
    }
}
