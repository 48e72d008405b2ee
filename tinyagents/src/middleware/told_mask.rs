//! A mask over a text that is told while it comes.

use super::RedactionMiddleware;
use crate::mask::Mask as _;

/// Masks a text wherever it is cut: the end of a piece is held back as long as it may be the beginning of what must not be
/// told. No more is held than the longest such text has bytes.
#[derive(Default)]
pub(crate) struct ToldMask<'a>(Vec<Layer<'a>>);

struct Layer<'a> {
    redaction: &'a RedactionMiddleware,
    held: String,
}

impl<'a> ToldMask<'a> {
    pub(super) fn new(redactions: impl Iterator<Item = &'a RedactionMiddleware>) -> Self {
        let layer = |redaction| Layer {
            redaction,
            held: String::new(),
        };
        Self(redactions.map(layer).collect())
    }

    /// What can be told of the text once this has come.
    pub(crate) fn push(&mut self, text: String) -> String {
        self.0.iter_mut().fold(text, |text, layer| layer.push(text))
    }

    /// What was held back, now that nothing comes any more; it begins anew.
    pub(crate) fn finish(&mut self) -> String {
        self.0.iter_mut().fold(String::new(), |before, layer| {
            let mut told = layer.push(before);
            let mut rest = std::mem::take(&mut layer.held);
            layer.redaction.text(&mut rest);
            told.push_str(&rest);
            told
        })
    }
}

impl Layer<'_> {
    fn push(&mut self, text: String) -> String {
        if self.held.is_empty() {
            self.held = text;
        } else {
            self.held.push_str(&text);
        }
        let until = self.redaction.open_end(&self.held);
        let rest = self.held.split_off(until);
        let mut told = std::mem::replace(&mut self.held, rest);
        self.redaction.text(&mut told);
        told
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn told(redactions: &[RedactionMiddleware], pieces: &[String]) -> String {
        let mut mask = ToldMask::new(redactions.iter());
        let pieces = pieces.iter();
        let mut told: String = pieces.map(|piece| mask.push(piece.clone())).collect();
        told.push_str(&mask.finish());
        told
    }

    proptest! {
        #[test]
        fn it_says_what_the_masks_over_the_whole_say(
            pieces in prop::collection::vec("[abé]{0,4}", 0..8),
            redactions in prop::collection::vec((prop::collection::vec("[abé]{0,4}", 0..4), "[*ab]{0,2}"), 1..4),
        ) {
            let redactions: Vec<RedactionMiddleware> =
                redactions.into_iter().map(|(secrets, mask)| RedactionMiddleware::with_mask(secrets, mask)).collect();
            let mut whole = pieces.concat();
            for redaction in &redactions {
                redaction.text(&mut whole);
            }
            prop_assert_eq!(told(&redactions, &pieces), whole);
        }
    }

    #[test]
    fn what_can_be_no_secret_is_told_at_once() {
        let redactions = [RedactionMiddleware::new(["sk-live"])];
        let mut mask = ToldMask::new(redactions.iter());
        assert_eq!(mask.push("the key is s".to_owned()), "the key is ");
        assert_eq!(mask.push("o".to_owned()), "so");
        assert_eq!(mask.push("me sk-".to_owned()), "me ");
        assert_eq!(mask.push("live!".to_owned()), "[redacted]!");
        assert_eq!(mask.finish(), "");
    }
}
