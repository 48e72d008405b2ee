//! Texts between quotes of any kind, rewritten as JSON strings.

use std::fmt::Write;

use crate::cursor::Cursor;

/// How chat templates write a quote; the second one is what some gateways leave of the first.
const QUOTE_TOKENS: [&str; 2] = ["<|\"|>", "<|\">"];

/// Rewrites the text that begins at the cursor. `Some(false)`: none begins there. `None`: it doesn't end, or could be read in
/// more than one way.
pub(super) fn rewrite(cursor: &mut Cursor<'_>, out: &mut String) -> Option<bool> {
    for quote in ['"', '\''] {
        if cursor.eat(quote.encode_utf8(&mut [0; 4])) {
            return between_quotes(cursor, quote, out).map(|()| true);
        }
    }
    for token in QUOTE_TOKENS {
        if cursor.eat(token) {
            return between_tokens(cursor, token, out).map(|()| true);
        }
    }
    Some(false)
}

/// What was met in a text that can't all be meant.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent observations")]
struct Habits {
    /// A backslash before a letter that JSON gives a meaning to.
    escapes: bool,
    /// A backslash that stands for itself.
    keeps_backslashes: bool,
    /// The quote that isn't the delimiter, as it is.
    plain_other_quote: bool,
    /// The same behind a backslash that isn't needed.
    escaped_other_quote: bool,
}

impl Habits {
    /// `\d` and `\n` in one text: either the writer escapes, and `\d` is something else, or he doesn't, and `\n` is two characters.
    /// `'` and `\'` in one text: the backslash is part of it, as in a shell's `'\''`.
    fn are_consistent(&self) -> bool {
        let escapes = self.escapes || self.escaped_other_quote;
        let contradicts = (escapes && self.keeps_backslashes)
            || (self.plain_other_quote && self.escaped_other_quote);
        !contradicts
    }
}

fn between_quotes(cursor: &mut Cursor<'_>, quote: char, out: &mut String) -> Option<()> {
    let mut habits = Habits::default();
    let text = cursor.rest();
    let mut letters = text.char_indices();
    out.push('"');
    while let Some((at, letter)) = letters.next() {
        match letter {
            _ if letter == quote => {
                out.push('"');
                cursor.take(at + quote.len_utf8());
                return habits.are_consistent().then_some(());
            }
            '\\' => {
                let (at, escaped) = letters.next()?;
                match escaped {
                    '"' | '\'' => {
                        habits.escaped_other_quote |= escaped != quote;
                        push_plain(escaped, out);
                    }
                    'u' if !has_code_unit(&text[at + 1..]) => return None,
                    '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't' | 'u' => {
                        habits.escapes = true;
                        out.extend(['\\', escaped]);
                    }
                    _ if begins_no_escape(escaped) => {
                        habits.keeps_backslashes = true;
                        out.extend(['\\', '\\', escaped]);
                    }
                    _ => return None,
                }
            }
            '"' | '\'' => {
                habits.plain_other_quote = true;
                push_plain(letter, out);
            }
            _ => push_plain(letter, out),
        }
    }
    None
}

/// Between tokens of a template everything is as it is meant, but a model that learned JSON may have escaped all the same.
fn between_tokens(cursor: &mut Cursor<'_>, token: &str, out: &mut String) -> Option<()> {
    let text = cursor.take_until(token)?;
    if QUOTE_TOKENS.iter().any(|token| text.contains(token)) {
        return None;
    }
    out.push('"');
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter == '\\'
            && let Some('"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't' | 'u') = letters.peek()
        {
            return None;
        }
        push_plain(letter, out);
    }
    out.push('"');
    Some(())
}

/// The digits of `\u0041`.
fn has_code_unit(text: &str) -> bool {
    text.as_bytes()
        .first_chunk::<4>()
        .is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
}

/// Whether no language in which a model may have thought gives a meaning to a backslash before it: neither C, Python,
/// JavaScript and shells, nor a `\u` whose digits came out as the character itself.
fn begins_no_escape(letter: char) -> bool {
    letter.is_ascii_graphic()
        && !letter.is_ascii_digit()
        && !matches!(letter, 'a' | 'e' | 'v' | 'x' | 'N' | 'U' | '$' | '`')
}

/// A character that stands for itself.
fn push_plain(letter: char, out: &mut String) {
    match letter {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        // Writing to a `String` cannot fail.
        '\0'..='\x1f' => drop(write!(out, "\\u{:04x}", u32::from(letter))),
        _ => out.push(letter),
    }
}
