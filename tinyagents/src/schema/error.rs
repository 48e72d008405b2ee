//! What is wrong with one argument, in words that a model can act on.

use std::{borrow::Cow, fmt, sync::Arc};

use super::validator::clip;
use crate::redaction::REDACTED;

/// Longest path in the rendered text, in characters; of a longer one the end is kept.
const MAX_PATH_CHARS: usize = 48;

// Together with the words between them these make 240 characters.
const MAX_EXPECTED_CHARS: usize = 84;
const MAX_GOT_CHARS: usize = 44;
const MAX_FIX_CHARS: usize = 44;

/// Room for most texts; a longer one is written part by part.
const MAX_LINE_BYTES: usize = 256;

/// One fault in the arguments of a call.
///
/// Its `Display` form is what the model reads: path, expectation, what was found, and the fix, in at most 240
/// characters (about 60 tokens):
/// `filters[2].since: expected a string, got 5; put it in quotes`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ArgumentError {
    /// Where in the arguments, such as `filters[2].since`; empty for the arguments as a whole.
    pub path: String,
    /// What the schema asks for there.
    pub expected: Arc<str>,
    /// What was found there, shortened; never the value of a redacted argument.
    pub got: Cow<'static, str>,
    /// What to do about it.
    pub fix: Cow<'static, str>,
    /// JSON pointer of the sub-schema that was not met, for [`serde_json::Value::pointer`] on the compiled schema.
    pub schema_path: Arc<str>,
}

impl ArgumentError {
    /// Forgets what was found, and what was derived from it.
    ///
    /// Names of undeclared properties inside a redacted argument can be part of `path`; use
    /// [`Validator::validate_redacted`](super::Validator::validate_redacted) where those matter too.
    pub fn redact(&mut self) {
        self.got = Cow::Borrowed(REDACTED);
        self.fix = Cow::Borrowed("");
    }

    /// Gives the parts of the text of `Display` to a function.
    fn with_parts<T>(&self, put: impl FnOnce(&[&str]) -> T) -> T {
        let Self {
            path,
            expected,
            got,
            fix,
            schema_path: _,
        } = self;
        let path = match path.as_str() {
            "" => Cow::Borrowed("arguments"),
            path => clip_start(path, MAX_PATH_CHARS),
        };
        let expected = clip(expected, MAX_EXPECTED_CHARS);
        let got = clip(got, MAX_GOT_CHARS);
        let fix = clip(fix, MAX_FIX_CHARS);
        let before_fix = if fix.is_empty() { "" } else { "; " };
        put(&[
            &path,
            ": expected ",
            &expected,
            ", got ",
            &got,
            before_fix,
            &fix,
        ])
    }
}

/// The end of a path tells more than its beginning.
#[inline]
fn clip_start(path: &str, max: usize) -> Cow<'_, str> {
    if path.len() <= max {
        return Cow::Borrowed(path);
    }
    clip_start_by_characters(path, max)
}

#[cold]
fn clip_start_by_characters(path: &str, max: usize) -> Cow<'_, str> {
    let left_out = (path.chars().count() + 1).saturating_sub(max);
    if left_out <= 1 {
        return Cow::Borrowed(path);
    }
    Cow::Owned(
        std::iter::once('…')
            .chain(path.chars().skip(left_out))
            .collect(),
    )
}

/// A text that is put together without an allocation.
struct Line {
    bytes: [u8; MAX_LINE_BYTES],
    length: usize,
}

impl Line {
    /// `None` where there is no room for the parts.
    fn of(parts: &[&str]) -> Option<Self> {
        let mut line = Self {
            bytes: [0; MAX_LINE_BYTES],
            length: 0,
        };
        for part in parts {
            let end = line.length + part.len();
            line.bytes
                .get_mut(line.length..end)?
                .copy_from_slice(part.as_bytes());
            line.length = end;
        }
        Some(line)
    }

    fn text(&self) -> Option<&str> {
        std::str::from_utf8(self.bytes.get(..self.length)?).ok()
    }
}

impl fmt::Display for ArgumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.with_parts(
            |parts| match Line::of(parts).as_ref().and_then(Line::text) {
                // A text that is written at once is allocated once.
                Some(line) => f.write_str(line),
                None => parts.iter().try_for_each(|part| f.write_str(part)),
            },
        )
    }
}

impl std::error::Error for ArgumentError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(path: &str) -> ArgumentError {
        ArgumentError {
            path: path.into(),
            expected: "a string".into(),
            got: "5".into(),
            fix: "put it in quotes".into(),
            schema_path: "/properties/x".into(),
        }
    }

    #[test]
    fn the_text_holds_path_expected_got_and_fix() {
        assert_eq!(
            fault("filters[2].since").to_string(),
            "filters[2].since: expected a string, got 5; put it in quotes"
        );
        assert!(fault("").to_string().starts_with("arguments: expected"));
    }

    #[test]
    fn the_text_is_bounded_whatever_the_parts_are() {
        let long = "ä".repeat(5000);
        let fault = ArgumentError {
            path: long.clone(),
            expected: long.as_str().into(),
            got: long.clone().into(),
            fix: long.clone().into(),
            schema_path: long.into(),
        };
        assert!(fault.to_string().chars().count() <= 240);
        assert!(fault.to_string().len() > MAX_LINE_BYTES);
    }

    #[test]
    fn redaction_forgets_the_value_and_its_hint() {
        let mut fault = fault("secret");
        fault.redact();
        assert_eq!(
            fault.to_string(),
            "secret: expected a string, got [redacted]"
        );
    }
}
