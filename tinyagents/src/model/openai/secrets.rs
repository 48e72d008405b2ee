//! Values that are sent and never shown.

use std::fmt;

use crate::redaction::REDACTED;

/// Shorter values are part of almost every text; hiding them would hide what went wrong.
const SHORTEST: usize = 4;

/// Keys and the like. An endpoint may repeat them in what it says; nobody is told.
#[derive(Clone, Default)]
pub(super) struct Secrets(Vec<String>);

impl Secrets {
    /// Adds one.
    pub(super) fn add(&mut self, secret: &str) {
        // As `Bearer KEY` it may be repeated without the first word.
        for value in [secret, secret.rsplit(' ').next().unwrap_or_default()] {
            if value.len() >= SHORTEST && !self.0.iter().any(|known| known == value) {
                self.0.push(value.to_owned());
            }
        }
        // One that is part of another goes after it, or the rest of the longer one would stay.
        self.0.sort_by_key(|value| std::cmp::Reverse(value.len()));
    }

    /// The text without them.
    pub(super) fn scrub(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for secret in &self.0 {
            if text.contains(secret) {
                text = text.replace(secret, REDACTED);
            }
        }
        text
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(REDACTED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_secret_is_hidden_with_and_without_its_scheme() {
        let mut secrets = Secrets::default();
        secrets.add("Bearer sk-12345");
        secrets.add("sk-12345-org");
        assert_eq!(
            secrets.scrub("Bearer sk-12345, sk-12345 and sk-12345-org"),
            "[redacted], [redacted] and [redacted]"
        );
        assert_eq!(format!("{secrets:?}"), "[redacted]");
    }
}
