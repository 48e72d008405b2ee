//! Reasoning, quotations, and what is repeated word by word: in none of them is anything a call.

use super::window::Window;
use crate::dialect::grammar::Find;
use crate::dialect::parsed_text::TextDelta;

/// A passage, up to what closes it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passage {
    closers: &'static [&'static str],
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Reasoning,
    Verbatim,
    Quotation,
}

impl Passage {
    /// Reasoning; what closes it isn't shown.
    pub(super) fn reasoning(closers: &'static [&'static str]) -> Self {
        Self {
            closers,
            kind: Kind::Reasoning,
        }
    }

    /// Text for a reader, what closes it included.
    pub(super) fn verbatim(closers: &'static [&'static str]) -> Self {
        Self {
            closers,
            kind: Kind::Verbatim,
        }
    }

    /// The same, as a part of a line.
    pub(super) fn quotation(closers: &'static [&'static str]) -> Self {
        Self {
            closers,
            kind: Kind::Quotation,
        }
    }

    /// What closes it.
    pub(super) fn closer(self) -> Option<&'static str> {
        self.closers.first().copied()
    }

    pub(super) fn is_reasoning(self) -> bool {
        self.kind == Kind::Reasoning
    }

    /// Hands out as much as is known to belong to it; where it is closed, what is on the line before what follows.
    pub(super) fn read(
        self,
        window: &mut Window,
        delta: &mut TextDelta,
        is_end: bool,
    ) -> Option<&'static str> {
        let out = if self.is_reasoning() {
            &mut delta.reasoning
        } else {
            &mut delta.text
        };
        let mut find = Find::new(window.at());
        let Some((place, closer)) = find.advance(window.text(), self.closers) else {
            let until = if is_end { window.end() } else { find.at() };
            window.hand_out(until, out);
            return None;
        };
        let after = place + closer.len();
        if self.is_reasoning() {
            window.hand_out(place, out);
            window.skip_to(after);
        } else {
            window.hand_out(after, out);
        }
        Some(match self.kind {
            Kind::Quotation => closer,
            Kind::Reasoning | Kind::Verbatim => "",
        })
    }
}
