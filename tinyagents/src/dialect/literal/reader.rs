//! A place in a text that values are read from.

use serde_json::{Map, Value};

use super::quoted;
use crate::cursor::Cursor;
use crate::model::strict_json;

/// Deepest nesting that is read; that of JSON arguments elsewhere.
const MAX_DEPTH: usize = 127;

/// A place in a text that values are read from.
#[derive(Clone, Debug)]
pub(in crate::dialect) struct Reader<'a> {
    text: &'a str,
    cursor: Cursor<'a>,
    depth: usize,
}

impl<'a> Reader<'a> {
    pub(in crate::dialect) fn new(text: &'a str) -> Self {
        Self {
            text,
            cursor: Cursor::new(text),
            depth: 0,
        }
    }

    fn rest(&self) -> &'a str {
        self.cursor.rest()
    }

    fn peek(&self) -> Option<u8> {
        self.rest().bytes().next()
    }

    pub(in crate::dialect) fn is_at_end(&self) -> bool {
        self.rest().is_empty()
    }

    pub(in crate::dialect) fn skip_space(&mut self) {
        self.cursor.skip_space();
    }

    /// Takes the literal if it comes next, after white space.
    pub(in crate::dialect) fn eat(&mut self, literal: &str) -> bool {
        self.cursor.skip_space();
        self.cursor.eat(literal)
    }

    /// Takes a run of letters, digits and `_`, and of what is `extra`.
    pub(in crate::dialect) fn word(&mut self, extra: &str) -> &'a str {
        self.cursor
            .take_while(|next| next.is_alphanumeric() || next == '_' || extra.contains(next))
    }

    fn string(&mut self) -> Result<String, String> {
        quoted::read(&mut self.cursor)
    }

    /// Reads one value.
    pub(in crate::dialect) fn value(&mut self) -> Result<Value, String> {
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
        self.cursor.take(1);
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
            super::insert_once(&mut object, key, value)?;
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
        let written = self
            .cursor
            .take_while(|next| next.is_ascii_alphanumeric() || matches!(next, '+' | '-' | '.'));
        // JSON's own grammar decides: no digit is guessed, and no number is infinite.
        strict_json::parse(written).map_err(|error| error.to_string())
    }

    fn name(&mut self) -> Result<Value, String> {
        let start = self.cursor;
        let value = match self.word("") {
            "true" | "True" => Value::Bool(true),
            "false" | "False" => Value::Bool(false),
            "null" | "None" => Value::Null,
            _ => {
                self.cursor = start;
                return Err(self.expected("a value"));
            }
        };
        Ok(value)
    }

    pub(in crate::dialect) fn expected(&self, what: &str) -> String {
        let found: String = self.rest().chars().take(12).collect();
        let place = self.text.len() - self.rest().len();
        format!("expected {what} at byte {place}, found `{found}`")
    }
}
