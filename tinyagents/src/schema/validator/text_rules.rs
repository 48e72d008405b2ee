//! `minLength`, `maxLength`, `pattern`.

use std::borrow::Cow;

use super::{echo::count, keywords::Keywords, pattern::Pattern};
use crate::schema::SchemaError;

/// What a schema asks of a text; lengths in characters.
#[derive(Debug)]
pub(super) struct TextRules {
    pub(super) min: usize,
    pub(super) max: usize,
    /// What to do about a text that is too short, and one that is too long.
    too_short: Box<str>,
    too_long: Box<str>,
    pub(super) pattern: Option<Pattern>,
}

impl TextRules {
    pub(super) fn read(keywords: &Keywords<'_, '_>) -> Result<Option<Self>, SchemaError> {
        let min = keywords.count("minLength")?;
        let max = keywords.count("maxLength")?;
        let pattern = match keywords.text("pattern")? {
            None => None,
            Some(source) => Some(keywords.pattern(source)?),
        };
        let silent = min.is_none() && max.is_none() && pattern.is_none();
        let min = min.unwrap_or(0);
        let max = max.unwrap_or(usize::MAX);
        Ok((!silent).then(|| Self {
            min,
            max,
            too_short: format!("send at least {}", count(min, "character")).into(),
            too_long: format!("shorten it to {}", count(max, "character")).into(),
            pattern,
        }))
    }

    pub(super) fn accept(&self, text: &str) -> bool {
        self.accept_length(text)
            && self
                .pattern
                .as_ref()
                .is_none_or(|pattern| pattern.matches(text))
    }

    /// The lengths in bytes of texts that are accepted without being looked at, from the shortest to the longest.
    pub(super) fn plain_bytes(&self) -> (usize, usize) {
        if self.pattern.is_some() {
            return (1, 0);
        }
        // The fewest bytes that hold so many characters, be they of four bytes each.
        let shortest = self.min.saturating_sub(1).saturating_mul(4);
        let shortest = shortest.saturating_add(usize::from(self.min > 0));
        (shortest, self.max)
    }

    /// What to do about a text that is not accepted.
    pub(super) fn fix(&self, text: &str) -> Cow<'static, str> {
        if self.accept_length(text) {
            Cow::Borrowed("match the pattern")
        } else if text.chars().count() < self.min {
            Cow::Owned(String::from(&*self.too_short))
        } else {
            Cow::Owned(String::from(&*self.too_long))
        }
    }

    /// A character takes one to four bytes, which mostly decides it without counting.
    pub(super) fn accept_length(&self, text: &str) -> bool {
        let bytes = text.len();
        let at_least = bytes.div_ceil(4);
        if bytes < self.min || at_least > self.max {
            return false;
        }
        if bytes <= self.max && at_least >= self.min {
            return true;
        }
        let characters = text.chars().count();
        self.min <= characters && characters <= self.max
    }
}
