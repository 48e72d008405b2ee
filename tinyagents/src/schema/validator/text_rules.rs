//! `minLength`, `maxLength`, `pattern`.

use super::{keywords::Keywords, pattern::Pattern};
use crate::schema::SchemaError;

/// What a schema asks of a text; lengths in characters.
#[derive(Debug)]
pub(super) struct TextRules {
    pub(super) min: usize,
    pub(super) max: usize,
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
        Ok((!silent).then(|| Self {
            min: min.unwrap_or(0),
            max: max.unwrap_or(usize::MAX),
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
