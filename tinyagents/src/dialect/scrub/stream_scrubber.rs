//! Text of a model while it comes.

use std::fmt;
use std::sync::Arc;

use super::engine::Engine;
use crate::dialect::offered::Offered;
use crate::dialect::parsed_text::TextDelta;
use crate::model::ToolSchema;

/// Takes a model's text in pieces and hands out what a reader may see as early as it can: never a part of markup, and
/// each call once.
///
/// All pieces together give what [`parse_calls`](super::super::parse_calls) gives for the whole text, whatever the pieces.
/// Time is linear in the text. What is kept is the one region that may be a call, at most 4 MiB.
///
/// Run no call before [`finish`](Self::finish): a later reasoning tag may take it back
/// ([`restarted`](TextDelta::restarted)).
///
/// ```
/// use serde_json::json;
/// use tinyagents::ToolSchema;
/// use tinyagents::dialect::StreamScrubber;
///
/// let mut scrubber = StreamScrubber::new([ToolSchema::new("now", "The time.", json!({ "type": "object" }))]);
/// let delta = scrubber.push("One moment. <tool_c");
/// assert_eq!(delta.text, "One moment. ");
/// let delta = scrubber.push("all>{\"name\":\"now\",\"arguments\":{}}</tool_call>");
/// assert_eq!((delta.text.as_str(), delta.calls[0].name.as_str()), ("", "now"));
/// assert!(scrubber.finish().is_empty());
/// ```
pub struct StreamScrubber {
    engine: Engine<'static>,
    /// The beginning of a character whose end is still to come.
    bytes: Vec<u8>,
}

impl StreamScrubber {
    /// A scrubber for the text of a model that was offered these tools.
    pub fn new(schemas: impl Into<Arc<[ToolSchema]>>) -> Self {
        Self {
            engine: Engine::new(Offered::shared(schemas.into())),
            bytes: Vec::new(),
        }
    }

    /// Takes the next piece.
    pub fn push(&mut self, text: &str) -> TextDelta {
        if self.bytes.is_empty() {
            return self.engine.push(text);
        }
        self.push_bytes(text.as_bytes())
    }

    /// Takes the next piece, which may end within a character. What is no UTF-8 becomes `U+FFFD`.
    pub fn push_bytes(&mut self, piece: &[u8]) -> TextDelta {
        if self.bytes.is_empty()
            && let Ok(text) = std::str::from_utf8(piece)
        {
            return self.engine.push(text);
        }
        let mut bytes = std::mem::take(&mut self.bytes);
        bytes.extend_from_slice(piece);
        let mut text = String::new();
        let mut rest = bytes.as_slice();
        while let Err(error) = std::str::from_utf8(rest) {
            let (valid, after) = rest.split_at(error.valid_up_to());
            text.push_str(&String::from_utf8_lossy(valid));
            let Some(length) = error.error_len() else {
                self.bytes = after.to_vec();
                return self.engine.push(&text);
            };
            text.push(char::REPLACEMENT_CHARACTER);
            rest = &after[length..];
        }
        text.push_str(&String::from_utf8_lossy(rest));
        self.engine.push(&text)
    }

    /// Takes the end of the text.
    #[must_use]
    pub fn finish(mut self) -> TextDelta {
        let mut delta = TextDelta::default();
        if !self.bytes.is_empty() {
            delta = self.engine.push("\u{fffd}");
        }
        let last = self.engine.finish();
        if last.restarted {
            delta.restart();
        }
        delta.text.push_str(&last.text);
        delta.reasoning.push_str(&last.reasoning);
        delta.calls.extend(last.calls);
        delta
    }
}

impl fmt::Debug for StreamScrubber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamScrubber").finish_non_exhaustive()
    }
}
