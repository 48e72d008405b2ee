//! Markup that may still follow a call.

/// What may close the last call; it is swallowed where it comes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Closers(pub(super) &'static [&'static str]);

/// Whether a closer stands at a place.
pub(super) enum Closing {
    No,
    Maybe,
    /// One of this length.
    Yes(usize),
}

impl Closers {
    pub(super) fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// What stands at the beginning of the text.
    pub(super) fn at(self, rest: &str, is_end: bool) -> Closing {
        if let Some(closer) = self.0.iter().find(|closer| rest.starts_with(**closer)) {
            return Closing::Yes(closer.len());
        }
        if !is_end && self.0.iter().any(|closer| closer.starts_with(rest)) {
            return Closing::Maybe;
        }
        Closing::No
    }
}
