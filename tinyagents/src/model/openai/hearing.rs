//! What of a streamed answer a reader may see.

use super::piece::Piece;
use crate::dialect::{StreamScrubber, TextDelta};

/// Hands out the text of an answer, without the markup of calls where they are written in it.
#[derive(Debug)]
pub(super) struct Hearing(Option<StreamScrubber>);

impl Hearing {
    /// With a scrubber where calls are written as text.
    pub(super) fn new(scrubber: Option<StreamScrubber>) -> Self {
        Self(scrubber)
    }

    /// What of a piece can be seen by now.
    pub(super) fn hear(&mut self, piece: Piece) -> Piece {
        let Some(scrubber) = &mut self.0 else {
            return piece;
        };
        let delta = scrubber.push(&piece.text);
        Piece {
            reasoning: piece.reasoning + &delta.reasoning,
            text: delta.text,
        }
    }

    /// What was held back and is no markup.
    pub(super) fn end(&mut self) -> Piece {
        let last = self.0.take().map(StreamScrubber::finish);
        let TextDelta {
            text, reasoning, ..
        } = last.unwrap_or_default();
        Piece { reasoning, text }
    }
}
