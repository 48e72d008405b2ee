//! Text of a model while it comes: what a reader may see, and the calls.

mod closers;
mod engine;
mod line;
mod markers;
mod opening;
mod passage;
mod retries;
mod stream_scrubber;
mod window;

pub use stream_scrubber::StreamScrubber;

use super::offered::Offered;
use super::parsed_text::ParsedText;
use crate::model::ToolSchema;
use engine::Engine;

/// The whole text at once.
pub(super) fn whole(text: &str, schemas: &[ToolSchema]) -> ParsedText {
    let mut engine = Engine::new(Offered::borrowed(schemas));
    let mut parsed = ParsedText::default();
    parsed.push(engine.push(text));
    parsed.push(engine.finish());
    parsed.trimmed()
}

/// What ends the code fence, the reasoning or the repeated words that a text leaves open, if it does.
pub(super) fn closer(text: &str, schemas: &[ToolSchema]) -> Option<String> {
    // Nothing else opens one of them, and few texts have any.
    if !text.contains(['<', '[', '`', '~']) {
        return None;
    }
    let mut engine = Engine::new(Offered::borrowed(schemas));
    engine.push(text);
    engine.push("\n");
    engine.finish();
    engine.closer()
}
