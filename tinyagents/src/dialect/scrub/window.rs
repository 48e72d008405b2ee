//! The text that is kept: what is still to be handed out, and a little before it.

/// What is kept before the place, so that a quote before it can be seen.
const KEPT: usize = 8;

/// Less than this isn't worth moving the rest.
const LEAST_GONE: usize = 4096;

/// Text that comes at one end and is handed out at the other.
#[derive(Debug, Default)]
pub(super) struct Window {
    text: String,
    at: usize,
}

impl Window {
    pub(super) fn push(&mut self, more: &str) {
        self.text.push_str(more);
    }

    /// All that is kept; places are counted from its beginning.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// All before this place is handed out.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn end(&self) -> usize {
        self.text.len()
    }

    /// Appends to `out` what comes before a place.
    pub(super) fn hand_out(&mut self, until: usize, out: &mut String) {
        let piece = &self.text[self.at..until];
        self.at = until;
        if out.is_empty() {
            // No more is taken than is needed, since most pieces are short.
            *out = String::from(piece);
        } else {
            out.push_str(piece);
        }
    }

    /// Leaves out what comes before a place.
    pub(super) fn skip_to(&mut self, place: usize) {
        self.at = place;
    }

    /// Lets go of what is handed out, and says of how many bytes; each byte is moved a bounded number of times.
    pub(super) fn forget(&mut self) -> usize {
        if self.at < LEAST_GONE + KEPT || self.at < self.text.len() / 2 {
            return 0;
        }
        let gone = self.text.floor_char_boundary(self.at - KEPT);
        self.text.drain(..gone);
        self.at -= gone;
        gone
    }
}
