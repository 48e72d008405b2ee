//! What a model's text turned out to be.

use crate::model::ToolCall;

/// What a model's text turned out to be.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ParsedText {
    /// The calls, in the model's order. Ids are the model's own, empty where it wrote none; one that can't be read is
    /// [`invalid`](ToolCall::invalid).
    pub calls: Vec<ToolCall>,
    /// What is left for a reader, without markup, white space at either end removed.
    pub text: String,
    /// What was marked as reasoning, trimmed likewise.
    pub reasoning: String,
}

/// What one more piece of a model's text adds.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct TextDelta {
    /// A reasoning tag was closed that the text didn't open: all that was handed out before this piece, calls included,
    /// was reasoning.
    pub restarted: bool,
    /// Text for a reader; never a part of markup.
    pub text: String,
    /// Reasoning.
    pub reasoning: String,
    /// Calls that are complete.
    pub calls: Vec<ToolCall>,
}

impl TextDelta {
    /// Whether it adds nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// All so far was reasoning.
    pub(super) fn restart(&mut self) {
        self.restarted = true;
        let text = std::mem::take(&mut self.text);
        self.reasoning.push_str(&text);
        self.calls.clear();
    }
}

impl ParsedText {
    /// Adds a piece. After the last one, [`trimmed`](Self::trimmed) gives what [`parse_calls`](super::parse_calls) gives
    /// for the whole.
    pub fn push(&mut self, delta: TextDelta) {
        if delta.restarted {
            let text = std::mem::take(&mut self.text);
            self.reasoning.push_str(&text);
            self.calls.clear();
        }
        self.text.push_str(&delta.text);
        self.reasoning.push_str(&delta.reasoning);
        self.calls.extend(delta.calls);
    }

    /// Without white space at either end of text and reasoning.
    #[must_use]
    pub fn trimmed(mut self) -> Self {
        for text in [&mut self.text, &mut self.reasoning] {
            text.truncate(text.trim_end().len());
            text.drain(..text.len() - text.trim_start().len());
        }
        self
    }
}
