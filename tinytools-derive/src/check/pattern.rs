//! Whether a text matches a pattern, for the defaults that are held to one.
//!
//! The `regex` crate runs the patterns of tools. Here it would have to be compiled before every crate of tools, for a
//! few short literals; the parser is here anyway.

use std::collections::BTreeSet;

use regex_syntax::hir::{Class, Hir, HirKind, Look, Repetition};
use regex_syntax::is_word_character;

/// Whether some part of `text` matches; `None` for a pattern with something in it that is not known here.
pub(super) fn is_match(pattern: &Hir, text: &str) -> Option<bool> {
    let starts = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    ends(pattern, text, &starts.collect()).map(|ends| !ends.is_empty())
}

/// Byte positions in a text, each at the edge of a character.
type Positions = BTreeSet<usize>;

/// Where matches end that begin at one of `starts`.
fn ends(pattern: &Hir, text: &str, starts: &Positions) -> Option<Positions> {
    let step = |next: &dyn Fn(usize) -> Option<usize>| {
        Some(starts.iter().filter_map(|start| next(*start)).collect())
    };
    match pattern.kind() {
        HirKind::Empty => Some(starts.clone()),
        HirKind::Literal(literal) => step(&|start| {
            let rest = text.as_bytes().get(start..)?;
            rest.starts_with(&literal.0)
                .then(|| start + literal.0.len())
        }),
        HirKind::Class(class) => step(&|start| {
            let letter = text.get(start..)?.chars().next()?;
            is_in(class, letter).then(|| start + letter.len_utf8())
        }),
        HirKind::Look(look) => {
            let mut held = Positions::new();
            for start in starts {
                if holds(*look, text, *start)? {
                    held.insert(*start);
                }
            }
            Some(held)
        }
        HirKind::Repetition(repetition) => repeated_ends(repetition, text, starts),
        HirKind::Capture(capture) => ends(&capture.sub, text, starts),
        HirKind::Concat(parts) => parts
            .iter()
            .try_fold(starts.clone(), |starts, part| ends(part, text, &starts)),
        HirKind::Alternation(ways) => {
            let mut all = Positions::new();
            for way in ways {
                all.extend(ends(way, text, starts)?);
            }
            Some(all)
        }
    }
}

fn repeated_ends(repetition: &Repetition, text: &str, starts: &Positions) -> Option<Positions> {
    let mut reached = starts.clone();
    for _ in 0..repetition.min {
        let next = ends(&repetition.sub, text, &reached)?;
        // Nothing more can change: there is no way on, or the repeated part matches nothing at all.
        if next == reached {
            break;
        }
        reached = next;
    }
    let mut all = reached.clone();
    for _ in repetition.min..repetition.max.unwrap_or(u32::MAX) {
        let next = ends(&repetition.sub, text, &reached)?;
        reached = next.difference(&all).copied().collect();
        if reached.is_empty() {
            break;
        }
        all.extend(&reached);
    }
    Some(all)
}

fn is_in(class: &Class, letter: char) -> bool {
    match class {
        Class::Unicode(class) => {
            let mut ranges = class.ranges().iter();
            ranges.any(|range| (range.start()..=range.end()).contains(&letter))
        }
        Class::Bytes(class) => u8::try_from(letter).is_ok_and(|byte| {
            let mut ranges = class.ranges().iter();
            byte.is_ascii() && ranges.any(|range| (range.start()..=range.end()).contains(&byte))
        }),
    }
}

/// Whether an assertion holds at a position.
fn holds(look: Look, text: &str, at: usize) -> Option<bool> {
    let (before, after) = text.split_at_checked(at)?;
    let is_word = |letter: char| is_word_character(letter);
    let word_before = before.chars().next_back().is_some_and(is_word);
    let word_after = after.chars().next().is_some_and(is_word);
    Some(match look {
        Look::Start => before.is_empty(),
        Look::End => after.is_empty(),
        Look::StartLF => before.is_empty() || before.ends_with('\n'),
        Look::EndLF => after.is_empty() || after.starts_with('\n'),
        Look::WordUnicode => word_before != word_after,
        Look::WordUnicodeNegate => word_before == word_after,
        _ => return None,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test")]
mod tests {

    fn is_match(pattern: &str, text: &str) -> Option<bool> {
        super::is_match(&regex_syntax::parse(pattern).unwrap(), text)
    }

    #[test]
    fn a_text_matches_where_the_regex_crate_would_say_so() {
        for (pattern, matching, other) in [
            ("^[a-z]+$", "abc", "aBc"),
            ("b", "abc", "acc"),
            ("^(en|no)$", "no", "nono"),
            ("^a{2,3}$", "aaa", "aaaa"),
            ("^(ab?)*$", "aabab", "abb"),
            (r"^\d{4}-\d{2}$", "2024-05", "24-05"),
            (r"\bcat\b", "a cat!", "concat"),
            ("(?i)^OSLO$", "oslo", "osl"),
            ("^[^/]*$", "høyde", "a/b"),
            ("(?m)^b$", "a\nb", "a\nbb"),
            ("^(a*)*b$", "aab", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac"),
            ("^(|a){3}$", "aa", "aaaa"),
            ("^.{2}$", "日本", "日本語"),
        ] {
            assert_eq!(
                is_match(pattern, matching),
                Some(true),
                "{pattern} {matching}"
            );
            assert_eq!(is_match(pattern, other), Some(false), "{pattern} {other}");
        }
    }

    #[test]
    fn an_assertion_that_is_not_known_decides_nothing() {
        assert_eq!(is_match(r"\b{start}a", "a"), None);
    }
}
