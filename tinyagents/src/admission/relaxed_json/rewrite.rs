//! One object, rewritten as JSON.

use super::quoted;
use crate::cursor::Cursor;

/// Deepest nesting, as deep as `serde_json` reads.
const MAX_DEPTH: usize = 127;

/// Words that name no key, since some language gives them another type than text.
const LITERALS: [&str; 9] = [
    "true",
    "false",
    "null",
    "True",
    "False",
    "None",
    "NaN",
    "Infinity",
    "undefined",
];

/// Rewrites the object that begins at the cursor. The result may still be no JSON, as in `{"a": 1-2}`, but reads differently
/// in no place.
pub(super) fn rewrite_object(cursor: &mut Cursor<'_>) -> Option<String> {
    let mut rewriter = Rewriter {
        out: String::with_capacity(cursor.rest().len()),
        cursor: *cursor,
    };
    rewriter.object(MAX_DEPTH)?;
    *cursor = rewriter.cursor;
    Some(rewriter.out)
}

struct Rewriter<'t> {
    cursor: Cursor<'t>,
    out: String,
}

impl Rewriter<'_> {
    fn object(&mut self, levels: usize) -> Option<()> {
        self.list(levels, "{", "}", |rewriter, levels| {
            rewriter.key()?;
            rewriter.cursor.skip_layout()?;
            rewriter.copy(":").then_some(())?;
            rewriter.cursor.skip_layout()?;
            rewriter.value(levels)
        })
    }

    fn array(&mut self, levels: usize) -> Option<()> {
        self.list(levels, "[", "]", Self::value)
    }

    /// What is between two brackets, with a comma after each but perhaps the last.
    fn list(
        &mut self,
        levels: usize,
        opening: &str,
        closing: &str,
        item: impl Fn(&mut Self, usize) -> Option<()>,
    ) -> Option<()> {
        let levels = levels.checked_sub(1)?;
        self.copy(opening).then_some(())?;
        self.cursor.skip_layout()?;
        let mut is_first = true;
        while !self.copy(closing) {
            if !is_first {
                self.out.push(',');
            }
            is_first = false;
            item(self, levels)?;
            self.cursor.skip_layout()?;
            if !self.cursor.eat(",") {
                return self.copy(closing).then_some(());
            }
            self.cursor.skip_layout()?;
        }
        Some(())
    }

    fn value(&mut self, levels: usize) -> Option<()> {
        match self.cursor.peek()? {
            '{' => self.object(levels),
            '[' => self.array(levels),
            '-' | '+' | '.' | '0'..='9' => self.number(),
            _ if quoted::rewrite(&mut self.cursor, &mut self.out)? => Some(()),
            _ => self.word(),
        }
    }

    fn key(&mut self) -> Option<()> {
        if quoted::rewrite(&mut self.cursor, &mut self.out)? {
            return Some(());
        }
        if !self.cursor.peek().is_some_and(begins_name) {
            return None;
        }
        let name = self.cursor.take_while(continues_name);
        if LITERALS.contains(&name) {
            return None;
        }
        self.out.extend(["\"", name, "\""]);
        Some(())
    }

    /// Copies a number, with the zero that JSON wants before a point and without the sign that it doesn't know.
    fn number(&mut self) -> Option<()> {
        let written = self
            .cursor
            .take_while(|letter| letter.is_ascii_digit() || "+-.eE".contains(letter));
        let (sign, digits) = match written.strip_prefix('-') {
            Some(digits) => ("-", digits),
            None => ("", written.strip_prefix('+').unwrap_or(written)),
        };
        let zero = if digits.starts_with('.') { "0" } else { "" };
        // `+-5` is no number, and must not become one.
        digits
            .starts_with(|letter: char| letter.is_ascii_digit() || letter == '.')
            .then(|| self.out.extend([sign, zero, digits]))
    }

    /// A literal of JSON or Python.
    fn word(&mut self) -> Option<()> {
        let literal = match self.cursor.take_while(continues_name) {
            "true" | "True" => "true",
            "false" | "False" => "false",
            "null" | "None" => "null",
            _ => return None,
        };
        self.out.push_str(literal);
        Some(())
    }

    fn copy(&mut self, text: &str) -> bool {
        let is_there = self.cursor.eat(text);
        if is_there {
            self.out.push_str(text);
        }
        is_there
    }
}

fn begins_name(letter: char) -> bool {
    letter.is_ascii_alphabetic() || letter == '_' || letter == '$'
}

fn continues_name(letter: char) -> bool {
    begins_name(letter) || letter.is_ascii_digit() || letter == '-'
}
