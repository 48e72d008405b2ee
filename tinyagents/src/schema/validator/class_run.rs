//! The most common kind of pattern, `^[a-z0-9_-]+$`: characters of one class and nothing else. Checked without the regex
//! engine, whose start alone costs more than all else that a small call needs.

use std::{iter::Peekable, str::Bytes};

/// How often characters of an ASCII class may occur; nothing else may.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ClassRun {
    /// One bit per byte; of ASCII characters alone.
    class: [u64; 4],
    min: usize,
    max: usize,
}

impl ClassRun {
    /// `None` for every pattern that is not exactly of this kind.
    pub(super) fn parse(pattern: &str) -> Option<Self> {
        let mut bytes = pattern
            .strip_prefix("^[")?
            .strip_suffix('$')?
            .bytes()
            .peekable();
        let [low, high] = halves(parse_class(&mut bytes)?);
        let class = [low, high, 0, 0];
        let quantifier: Vec<u8> = bytes.collect();
        let (min, max) = match quantifier.as_slice() {
            [] => (1, 1),
            b"+" => (1, usize::MAX),
            b"*" => (0, usize::MAX),
            [b'{', counts @ .., b'}'] => parse_counts(str::from_utf8(counts).ok()?)?,
            _ => return None,
        };
        Some(Self { class, min, max })
    }

    pub(super) fn matches(&self, text: &str) -> bool {
        // All are ASCII, so that bytes are characters.
        (self.min..=self.max).contains(&text.len())
            && text.bytes().all(|byte| {
                let part = self.class[usize::from(byte / 64)];
                part & (1 << (byte % 64)) != 0
            })
    }
}

/// The bits of the first 64 characters, and of the others.
#[expect(clippy::cast_possible_truncation, reason = "the halves of it")]
fn halves(class: u128) -> [u64; 2] {
    [class as u64, (class >> 64) as u64]
}

fn bit(byte: u8) -> u128 {
    1 << (byte & 0x7f)
}

/// Up to and with the closing bracket.
fn parse_class(bytes: &mut Peekable<Bytes<'_>>) -> Option<u128> {
    let mut class = 0;
    loop {
        let first = match bytes.next()? {
            b']' if class != 0 => return Some(class),
            b'\\' => match bytes.next()? {
                b'd' => {
                    class |= all(b'0'..=b'9');
                    continue;
                }
                b'w' => {
                    class |= all(b'0'..=b'9') | all(b'a'..=b'z') | all(b'A'..=b'Z') | bit(b'_');
                    continue;
                }
                escaped @ (b'.' | b'-' | b'/') => {
                    class |= bit(escaped);
                    continue;
                }
                _ => return None,
            },
            // A dash at either end is itself.
            b'-' if class == 0 || bytes.peek() == Some(&b']') => {
                class |= bit(b'-');
                continue;
            }
            plain if is_plain(plain) => plain,
            _ => return None,
        };
        class |= bit(first);
        let mut ahead = bytes.clone();
        if ahead.next() == Some(b'-') && ahead.peek() != Some(&b']') {
            let last = ahead.next().filter(u8::is_ascii_alphanumeric)?;
            // Anything but a range of letters or digits is left to those who know what it means.
            if !first.is_ascii_alphanumeric() || last < first {
                return None;
            }
            class |= all(first..=last);
            *bytes = ahead;
        }
    }
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'_' | b'.' | b'/' | b':' | b'@' | b'+' | b',' | b' ' | b'#'
        )
}

fn all(bytes: impl Iterator<Item = u8>) -> u128 {
    bytes.fold(0, |class, byte| class | bit(byte))
}

fn parse_counts(counts: &str) -> Option<(usize, usize)> {
    let digits = |text: &str| {
        let only_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        only_digits.then(|| text.parse::<usize>().ok()).flatten()
    };
    let (min, max) = match counts.split_once(',') {
        None => (digits(counts)?, digits(counts)?),
        Some((min, "")) => (digits(min)?, usize::MAX),
        Some((min, max)) => (digits(min)?, digits(max)?),
    };
    (min <= max).then_some((min, max))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_one_class_agree_with_the_regex_engine() {
        let texts = [
            "", "a", "Z", "5", "_", "-", ".", "/", " ", "é", "\n", "a\n", "ab", "a-b", "a.b",
            "x_9", "abc", "ABC", "a b", "0000", "]", "\\", "^a",
        ];
        for pattern in [
            "^[a-z]+$",
            "^[a-z0-9]*$",
            "^[A-Za-z0-9_.-]+$",
            "^[-a]{1,2}$",
            "^[a-]+$",
            "^[\\w.-]+$",
            "^[\\d]{4}$",
            "^[a-z]{2,}$",
            "^[abc]$",
            "^[a-zA-Z /]+$",
        ] {
            let run = ClassRun::parse(pattern).unwrap_or_else(|| unreachable!("{pattern}"));
            let regex =
                regex::Regex::new(&pattern.replace("\\w", "0-9A-Za-z_").replace("\\d", "0-9"))
                    .expect("a pattern");
            for text in texts {
                assert_eq!(
                    run.matches(text),
                    regex.is_match(text),
                    "{pattern} {text:?}"
                );
            }
        }
    }

    #[test]
    fn anything_else_is_left_to_the_engine() {
        for pattern in [
            "[a-z]+",
            "^[a-z]+",
            "[a-z]+$",
            "^[^a]+$",
            "^[a-z]+?$",
            "^[a-z]+\\$",
            "^[a-z][0-9]$",
            "^[]a]+$",
            "^[z-a]$",
            "^[a-z]{2,1}$",
            "^[a-z]{,2}$",
            "^[é]+$",
            "^[[a]+$",
            "^[a&&b]+$",
            "^[\\s]$",
            "^[+--]$",
            "^a+$",
            "^[a|b]|c$",
            "^[a-\\d]$",
            "^[]$",
            "^[a",
        ] {
            assert_eq!(ClassRun::parse(pattern), None, "{pattern}");
        }
    }
}
