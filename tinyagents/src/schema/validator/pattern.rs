//! Regular expressions of JSON Schema, which are those of JavaScript, for the `regex` crate.
//!
//! The two differ in what the short classes mean (`\d` is ASCII only in JavaScript), in the characters that are special
//! inside `[…]`, and in a few escapes. Look-around and back-references have no linear-time form; such a pattern fails to
//! compile.

use std::{fmt::Write, iter::Peekable, str::Chars};

use regex::{Regex, RegexBuilder};

use super::class_run::ClassRun;

/// Most memory of one compiled pattern, in bytes: a schema may come from a stranger.
pub(super) const MAX_COMPILED_BYTES: usize = 1 << 20;

/// What JavaScript's `\s` matches, for use inside `[…]`.
const WHITESPACE: &str = r"\t\n\x0B\x0C\r\x20\xA0\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF}";

/// A pattern, as written and as compiled.
#[derive(Debug)]
pub(super) struct Pattern {
    source: Box<str>,
    engine: Engine,
}

#[derive(Debug)]
enum Engine {
    Run(ClassRun),
    Regex(Regex),
}

impl Pattern {
    pub(super) fn new(source: &str) -> Result<Self, regex::Error> {
        let engine = match ClassRun::parse(source) {
            Some(run) => Engine::Run(run),
            None => Engine::Regex(
                RegexBuilder::new(&translate(source))
                    .size_limit(MAX_COMPILED_BYTES)
                    .build()?,
            ),
        };
        Ok(Self {
            source: source.into(),
            engine,
        })
    }

    pub(super) fn source(&self) -> &str {
        &self.source
    }

    /// Whether it occurs anywhere in the text.
    pub(super) fn matches(&self, text: &str) -> bool {
        match &self.engine {
            Engine::Run(run) => run.matches(text),
            Engine::Regex(regex) => regex.is_match(text),
        }
    }
}

fn translate(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len() + 16);
    let mut letters = pattern.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => translate_escape(&mut letters, false, &mut out),
            '[' => translate_class(&mut letters, &mut out),
            // JavaScript's line ends are four.
            '.' => out.push_str(r"[^\n\r\x{2028}\x{2029}]"),
            _ => out.push(letter),
        }
    }
    out
}

/// The rest of `[…]`, after its opening bracket.
fn translate_class(letters: &mut Peekable<Chars<'_>>, out: &mut String) {
    let negated = letters.next_if_eq(&'^').is_some();
    if letters.next_if_eq(&']').is_some() {
        // An empty class matches nothing, its negation everything.
        out.push_str(if negated { r"[\s\S]" } else { r"[^\s\S]" });
        return;
    }
    out.push_str(if negated { "[^" } else { "[" });
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => translate_escape(letters, true, out),
            ']' => {
                out.push(']');
                return;
            }
            // These open a nested class or combine two classes, but only in the `regex` crate.
            '[' | '&' | '~' => {
                out.push('\\');
                out.push(letter);
            }
            _ => out.push(letter),
        }
    }
}

/// What follows a backslash. Brackets around a class nest inside another class, so most need not know where they are.
fn translate_escape(letters: &mut Peekable<Chars<'_>>, in_class: bool, out: &mut String) {
    let Some(letter) = letters.next() else {
        out.push('\\');
        return;
    };
    match letter {
        'd' => out.push_str("[0-9]"),
        'D' => out.push_str("[^0-9]"),
        'w' => out.push_str("[0-9A-Za-z_]"),
        'W' => out.push_str("[^0-9A-Za-z_]"),
        's' => out.extend(["[", WHITESPACE, "]"]),
        'S' => out.extend(["[^", WHITESPACE, "]"]),
        'b' if in_class => out.push_str(r"\x08"),
        'b' => out.push_str(r"(?-u:\b)"),
        'B' => out.push_str(r"(?-u:\B)"),
        'c' => translate_control(letters, out),
        '0' => out.push_str(r"\x00"),
        // Escaped although it need not be: the character itself.
        '/' | '-' | ' ' | '"' | '\'' | ',' | ':' | ';' | '=' | '@' | '!' | '%' | '`' | '<'
        | '>' => {
            if letter == '-' {
                out.push('\\');
            }
            out.push(letter);
        }
        _ => {
            out.push('\\');
            out.push(letter);
        }
    }
}

/// `\cJ` is the control character of a letter.
fn translate_control(letters: &mut Peekable<Chars<'_>>, out: &mut String) {
    match letters.next_if(char::is_ascii_alphabetic) {
        // Writing to a `String` cannot fail.
        Some(letter) => drop(write!(out, r"\x{{{:x}}}", u32::from(letter) % 32)),
        // Kept, so that the pattern is refused.
        None => out.push_str(r"\c"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, text: &str) -> bool {
        Pattern::new(pattern)
            .unwrap_or_else(|error| unreachable!("{pattern}: {error}"))
            .matches(text)
    }

    #[test]
    fn short_classes_are_ascii() {
        assert!(matches(r"^\d+$", "42") && !matches(r"^\d+$", "߀"));
        assert!(matches(r"^\w+$", "a_1") && !matches(r"^\w+$", "é"));
        assert!(matches(r"^[\w.-]+$", "a.b-c") && !matches(r"^[\w.-]+$", "é"));
        assert!(matches(r"^\W$", "é") && matches(r"^[^\d]$", "߀"));
        assert!(matches(r"^[\D]$", "x") && !matches(r"^[\D]$", "4"));
    }

    #[test]
    fn whitespace_is_unicode() {
        for space in [
            " ", "\t", "\u{b}", "\u{a0}", "\u{feff}", "\u{2029}", "\u{2003}",
        ] {
            assert!(
                matches(r"^\s$", space) && matches(r"^[\s]$", space),
                "{space:?}"
            );
            assert!(!matches(r"^\S$", space), "{space:?}");
        }
        assert!(!matches(r"^\s$", "\u{85}"));
    }

    #[test]
    fn the_end_is_the_end_and_the_dot_stops_at_line_ends() {
        assert!(!matches("^abc$", "abc\n"));
        assert!(!matches("^a.c$", "a\rc") && matches("^a.c$", "a.c"));
    }

    #[test]
    fn brackets_are_plain_inside_a_class() {
        assert!(matches("^[[a]+$", "[a[") && matches("^[a&&b]+$", "&ab") && matches("^[~~]$", "~"));
        assert!(matches("^[^]$", "\n") && !matches("[]", "x"));
        assert!(matches(r"^[\b]$", "\u{8}"));
    }

    #[test]
    fn escapes_of_javascript_are_understood() {
        assert!(matches(r"^\cJ$", "\n") && matches(r"^a\/b$", "a/b") && matches(r"^\-$", "-"));
        assert!(matches(r"^\u00e9$", "é") && matches(r"^\p{L}+$", "é") && matches(r"^\$\.$", "$."));
        assert!(matches(r"\bcat\b", "a cat") && !matches(r"\bcat\b", "concat"));
        assert!(matches("a+", "xxaayy"));
    }

    #[test]
    fn what_needs_backtracking_is_refused() {
        for pattern in ["(?=a)", "(?<!a)b", r"(a)\1", "(", "a{2,1}", r"\cö", "\\"] {
            assert!(Pattern::new(pattern).is_err(), "{pattern}");
        }
    }
}
