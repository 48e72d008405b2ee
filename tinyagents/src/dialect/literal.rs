//! Values as models write them in text: JSON, and the spellings of Python and JavaScript.

use serde_json::{Map, Value};

use crate::model::strict_json;

/// Deepest nesting that is read; that of JSON arguments elsewhere.
const MAX_DEPTH: usize = 127;

/// Reads a value that fills the text, as strict JSON or in a spelling of Python or JavaScript.
///
/// Single quotes, `True`, `None`, bare keys, trailing commas and raw line breaks in strings are read; a key that is there
/// twice, a number without a finite value and anything left over are refused.
pub(super) fn read(text: &str) -> Result<Value, String> {
    let strict = match strict_json::parse(text) {
        Ok(value) => return Ok(value),
        Err(error) => error,
    };
    let mut reader = Reader::new(text);
    let value = reader.value()?;
    reader.skip_space();
    if reader.is_at_end() {
        Ok(value)
    } else {
        Err(strict.to_string())
    }
}

/// A place in a text that values are read from.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            depth: 0,
        }
    }

    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.at == self.text.len()
    }

    pub(super) fn skip_space(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Takes the literal if it comes next, after white space.
    pub(super) fn eat(&mut self, literal: &str) -> bool {
        self.skip_space();
        let is_there = self.rest().starts_with(literal);
        if is_there {
            self.at += literal.len();
        }
        is_there
    }

    /// Takes a run of letters, digits and `_`, of `-` and `.` too where those are `extra`.
    pub(super) fn word(&mut self, extra: &str) -> &'a str {
        let rest = self.rest();
        let end = rest
            .find(|next: char| !(next.is_alphanumeric() || next == '_' || extra.contains(next)))
            .unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// Reads one value.
    pub(super) fn value(&mut self) -> Result<Value, String> {
        self.skip_space();
        match self.peek() {
            None => Err(self.expected("a value")),
            Some(b'"' | b'\'') => self.string().map(Value::String),
            Some(b'[') => self.nested(|reader| reader.list("]")),
            Some(b'(') => self.nested(|reader| reader.list(")")),
            Some(b'{') => self.nested(|reader| reader.object().map(Value::Object)),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(_) => self.name(),
        }
    }

    fn nested(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<Value, String>,
    ) -> Result<Value, String> {
        if self.depth == MAX_DEPTH {
            return Err(format!("nested deeper than {MAX_DEPTH} levels"));
        }
        self.depth += 1;
        self.at += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }

    fn list(&mut self, close: &str) -> Result<Value, String> {
        let mut items = Vec::new();
        loop {
            if self.eat(close) {
                return Ok(Value::Array(items));
            }
            items.push(self.value()?);
            if !self.eat(",") && !self.rest().starts_with(close) {
                return Err(self.expected("`,` or the end of the list"));
            }
        }
    }

    /// The rest of an object whose opening brace is behind.
    fn object(&mut self) -> Result<Map<String, Value>, String> {
        let mut object = Map::new();
        loop {
            if self.eat("}") {
                return Ok(object);
            }
            let key = self.key()?;
            if !self.eat(":") {
                return Err(self.expected("`:`"));
            }
            let value = self.value()?;
            insert_once(&mut object, key, value)?;
            if !self.eat(",") && !self.rest().starts_with('}') {
                return Err(self.expected("`,` or the end of the object"));
            }
        }
    }

    fn key(&mut self) -> Result<String, String> {
        self.skip_space();
        if let Some(b'"' | b'\'') = self.peek() {
            return self.string();
        }
        match self.word("$-") {
            "" => Err(self.expected("a key")),
            key => Ok(key.to_owned()),
        }
    }

    fn number(&mut self) -> Result<Value, String> {
        let rest = self.rest();
        let end = rest
            .find(|next: char| !(next.is_ascii_alphanumeric() || matches!(next, '+' | '-' | '.')))
            .unwrap_or(rest.len());
        // JSON's own grammar decides: no digit is guessed, and no number is infinite.
        let number = strict_json::parse(&rest[..end]).map_err(|error| error.to_string())?;
        self.at += end;
        Ok(number)
    }

    fn name(&mut self) -> Result<Value, String> {
        let start = self.at;
        let value = match self.word("") {
            "true" | "True" => Value::Bool(true),
            "false" | "False" => Value::Bool(false),
            "null" | "None" => Value::Null,
            _ => {
                self.at = start;
                return Err(self.expected("a value"));
            }
        };
        Ok(value)
    }

    /// Reads a string in either kind of quotes, once or three times.
    pub(super) fn string(&mut self) -> Result<String, String> {
        let rest = self.rest();
        let quote = &rest[..1];
        let triple = quote.repeat(3);
        let close = if rest.starts_with(&triple) {
            triple.as_str()
        } else {
            quote
        };
        self.at += close.len();
        let mut read = String::new();
        loop {
            let rest = self.rest();
            let Some(plain) = rest.find(['\\', char::from(quote.as_bytes()[0])]) else {
                return Err("a string is not closed".to_owned());
            };
            read.push_str(&rest[..plain]);
            self.at += plain;
            let rest = self.rest();
            if rest.starts_with(close) {
                self.at += close.len();
                return Ok(read);
            }
            if rest.starts_with('\\') {
                self.at += 1;
                self.escape(&mut read)?;
            } else {
                read.push_str(quote);
                self.at += 1;
            }
        }
    }

    fn escape(&mut self, read: &mut String) -> Result<(), String> {
        let Some(escaped) = self.rest().chars().next() else {
            return Err("a string is not closed".to_owned());
        };
        self.at += escaped.len_utf8();
        match escaped {
            'n' => read.push('\n'),
            't' => read.push('\t'),
            'r' => read.push('\r'),
            'b' => read.push('\u{8}'),
            'f' => read.push('\u{c}'),
            '"' | '\'' | '\\' | '/' => read.push(escaped),
            'x' => read.push(self.code_point(2)?),
            'u' => read.push(self.code_point(4)?),
            // A line break after the backslash continues the line.
            '\n' => {}
            // As Python does: what is no escape stands for itself, the backslash included.
            other => read.extend(['\\', other]),
        }
        Ok(())
    }

    fn code_point(&mut self, digits: usize) -> Result<char, String> {
        let high = self.hex(digits)?;
        if digits == 4 && (0xd800..0xdc00).contains(&high) && self.rest().starts_with("\\u") {
            self.at += 2;
            let low = self.hex(4)?;
            if (0xdc00..0xe000).contains(&low) {
                let code = 0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00);
                return char::from_u32(code).ok_or_else(no_character);
            }
            return Err(no_character());
        }
        char::from_u32(high).ok_or_else(no_character)
    }

    fn hex(&mut self, digits: usize) -> Result<u32, String> {
        let code = self
            .rest()
            .get(..digits)
            .filter(|code| code.bytes().all(|digit| digit.is_ascii_hexdigit()))
            .and_then(|code| u32::from_str_radix(code, 16).ok())
            .ok_or_else(no_character)?;
        self.at += digits;
        Ok(code)
    }

    pub(super) fn expected(&self, what: &str) -> String {
        let found: String = self.rest().chars().take(12).collect();
        format!("expected {what} at byte {}, found `{found}`", self.at)
    }
}

/// Adds an entry; the same key twice is refused, since readers would differ on which one counts.
pub(super) fn insert_once(
    object: &mut Map<String, Value>,
    key: String,
    value: Value,
) -> Result<(), String> {
    if object.contains_key(&key) {
        return Err(format!("the key `{key}` is there twice; give it once"));
    }
    object.insert(key, value);
    Ok(())
}

fn no_character() -> String {
    "an escape stands for no character".to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn spellings_of_python_and_javascript_are_read() {
        for (text, value) in [
            ("{'a': True, 'b': None}", json!({ "a": true, "b": null })),
            ("{a: [1, 2,], b_c: 'x'}", json!({ "a": [1, 2], "b_c": "x" })),
            ("('x', 1.5)", json!(["x", 1.5])),
            ("'it\\'s'", json!("it's")),
            ("'''a 'b' \"c\"'''", json!("a 'b' \"c\"")),
            ("'\\ud83c\\udf89 \\x41 \\d'", json!("🎉 A \\d")),
            ("\"two\nlines\"", json!("two\nlines")),
        ] {
            assert_eq!(read(text).as_ref(), Ok(&value), "{text}");
        }
    }

    #[test]
    fn nothing_is_guessed() {
        for text in [
            "{'a': 1, 'a': 2}",
            "1e999",
            "[1",
            "'open",
            "b'z'",
            "{a: }",
            "'x' 'y'",
            "NaN",
            "01",
            "'\\ud800'",
            "",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn deep_nesting_is_refused_and_does_not_overflow() {
        assert!(read(&"[".repeat(1_000_000)).is_err());
        let deep = format!("{}'x'{}", "[".repeat(200), "]".repeat(200));
        assert!(read(&deep).unwrap_err().contains("127"));
    }
}
