//! Texts of a schema that are compared with texts of the arguments over and over: names and listed values.

use std::cmp::Ordering;

/// Texts up to this length are told apart by their ends alone.
const BOTH_ENDS: usize = 16;

/// The length of a text and its first and last eight bytes, as numbers: comparing these beats a call to compare bytes, and
/// decides it for most names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Ends {
    length: usize,
    head: u64,
    tail: u64,
}

impl Ends {
    #[inline]
    pub(super) fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let length = bytes.len();
        if let (Some(head), Some(tail)) = (bytes.first_chunk(), bytes.last_chunk()) {
            return Self {
                length,
                head: u64::from_le_bytes(*head),
                tail: u64::from_le_bytes(*tail),
            };
        }
        let (head, tail) = match (bytes.first_chunk(), bytes.last_chunk()) {
            (Some(head), Some(tail)) => (u32::from_le_bytes(*head), u32::from_le_bytes(*tail)),
            // One to three bytes are the first, the middle and the last.
            _ => match bytes {
                [] => (0, 0),
                [first, .., last] => (u32::from_le_bytes([*first, bytes[length / 2], *last, 0]), 0),
                [only] => (u32::from(*only), 0),
            },
        };
        Self {
            length,
            head: head.into(),
            tail: tail.into(),
        }
    }
}

impl Ends {
    /// Equality, with one branch for both ends.
    #[inline]
    fn are(self, other: Self) -> bool {
        let head = self.head ^ other.head;
        let tail = self.tail ^ other.tail;
        self.length == other.length && head | tail == 0
    }
}

/// A text of a schema.
#[derive(Debug)]
pub(super) struct Key {
    ends: Ends,
    text: Box<str>,
}

impl Key {
    pub(super) fn new(text: &str) -> Self {
        Self {
            ends: Ends::of(text),
            text: text.into(),
        }
    }

    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether this is `text`; of texts that differ most differ in their length.
    #[inline]
    pub(super) fn matches(&self, text: &str) -> bool {
        if text.len() != self.ends.length {
            return false;
        }
        let bytes = text.as_bytes();
        match (bytes.first_chunk(), bytes.last_chunk()) {
            (Some(head), Some(tail)) => {
                let head = u64::from_le_bytes(*head) ^ self.ends.head;
                let tail = u64::from_le_bytes(*tail) ^ self.ends.tail;
                head | tail == 0 && (text.len() <= BOTH_ENDS || *self.text == *text)
            }
            _ => self.ends.are(Ends::of(text)),
        }
    }

    /// Whether this is `text`, of which `ends` are the ends.
    #[inline]
    pub(super) fn is(&self, ends: Ends, text: &str) -> bool {
        self.ends.are(ends) && (ends.length <= BOTH_ENDS || *self.text == *text)
    }

    /// Some order, for a binary search; not that of the alphabet.
    pub(super) fn order(&self, ends: Ends, text: &str) -> Ordering {
        self.ends.cmp(&ends).then_with(|| (*self.text).cmp(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_itself_and_no_other() {
        let texts: Vec<String> = (0..40)
            .flat_map(|length| {
                let text = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEF"[..length].to_owned();
                // One other text of the same length for each place where they can differ.
                let others = (0..length).map({
                    let text = text.clone();
                    move |at| format!("{}_{}", &text[..at], &text[at + 1..])
                });
                std::iter::once(text.clone())
                    .chain(others)
                    .collect::<Vec<_>>()
            })
            .collect();
        for left in &texts {
            let key = Key::new(left);
            for right in &texts {
                let ends = Ends::of(right);
                assert_eq!(key.is(ends, right), left == right, "{left} {right}");
                assert_eq!(key.matches(right), left == right, "{left} {right}");
                assert_eq!(key.order(ends, right) == Ordering::Equal, left == right);
            }
        }
    }
}
