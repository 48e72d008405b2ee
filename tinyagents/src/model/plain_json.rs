//! Reads JSON that is as it should be, which almost all arguments are.
//!
//! A model's arguments are read for every call, and what a general parser takes for a small object is a large part of the
//! price of a call. Whatever isn't right is left to [`strict_json`](super::strict_json), which says what is wrong and
//! where; so are the spellings that are seldom: escapes, fractions, the largest integers.

use serde_json::map::Entry;
use serde_json::{Map, Value};

use super::strict_json::read_general;

/// How many properties an object has room for before it grows: most have no more.
const INITIAL_ROOM: usize = 3;

/// Deeper text is left to the general parser, which refuses what is too deep.
const MAX_DEPTH: u8 = 120;

/// Integers of so many digits are within an `i64`.
const MAX_DIGITS: usize = 18;

/// Reads the text into a place, since a value is too large to be handed on by every step; whether it is JSON in which
/// every key of an object is there once. Where not, it may be such JSON all the same, and the place holds something else.
pub(super) fn read_into(text: &str, place: &mut Value) -> bool {
    let mut reader = Reader { text, at: 0 };
    reader.value(MAX_DEPTH, place).is_some() && reader.peek().is_none()
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    /// What hasn't been read.
    #[inline]
    fn rest(&self) -> &'t [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    /// The next byte that isn't blank.
    #[inline]
    fn peek(&mut self) -> Option<u8> {
        let rest = self.rest();
        match rest.first() {
            Some(b' ' | b'\t' | b'\n' | b'\r') => {
                let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
                let blank = rest.iter().take_while(|byte| is_blank(byte)).count();
                self.at += blank;
                rest.get(blank).copied()
            }
            other => other.copied(),
        }
    }

    /// Passes over the next byte that isn't blank.
    #[inline]
    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    fn value(&mut self, depth: u8, place: &mut Value) -> Option<()> {
        match self.peek()? {
            b'"' => {
                self.at += 1;
                *place = Value::String(self.string()?);
                Some(())
            }
            b'-' | b'0'..=b'9' => self.number(place),
            b'{' => self.object(depth.checked_sub(1)?, place),
            b'[' => self.array(depth.checked_sub(1)?, place),
            b't' => self.word("true", Value::Bool(true), place),
            b'f' => self.word("false", Value::Bool(false), place),
            b'n' => self.word("null", Value::Null, place),
            _ => None,
        }
    }

    fn word(&mut self, word: &str, value: Value, place: &mut Value) -> Option<()> {
        let is_here = self.rest().starts_with(word.as_bytes());
        self.at += word.len();
        *place = value;
        is_here.then_some(())
    }

    fn object(&mut self, depth: u8, place: &mut Value) -> Option<()> {
        self.at += 1;
        if self.peek()? == b'}' {
            self.at += 1;
            *place = Value::Object(Map::new());
            return Some(());
        }
        *place = Value::Object(Map::with_capacity(INITIAL_ROOM));
        let object = place.as_object_mut()?;
        loop {
            if self.next()? != b'"' {
                return None;
            }
            let key = self.string()?;
            if self.next()? != b':' {
                return None;
            }
            let Entry::Vacant(entry) = object.entry(key) else {
                return None;
            };
            self.value(depth, entry.insert(Value::Null))?;
            match self.next()? {
                b',' => {}
                b'}' => return Some(()),
                _ => return None,
            }
        }
    }

    fn array(&mut self, depth: u8, place: &mut Value) -> Option<()> {
        self.at += 1;
        *place = Value::Array(Vec::new());
        let array = place.as_array_mut()?;
        if self.peek()? == b']' {
            self.at += 1;
            return Some(());
        }
        loop {
            array.push(Value::Null);
            self.value(depth, array.last_mut()?)?;
            match self.next()? {
                b',' => {}
                b']' => return Some(()),
                _ => return None,
            }
        }
    }

    /// The rest of a string whose opening quote is behind.
    #[inline]
    fn string(&mut self) -> Option<String> {
        let start = self.at;
        let rest = self.rest();
        let length = plain_length(rest);
        self.at += length + 1;
        match rest.get(length)? {
            b'"' => self.text.get(start..start + length).map(str::to_owned),
            b'\\' => self.escaped(start),
            // A control character, which JSON doesn't allow.
            _ => None,
        }
    }

    /// The same where a backslash comes before the closing quote; it has just been passed.
    fn escaped(&mut self, start: usize) -> Option<String> {
        loop {
            self.at += 1;
            let rest = self.rest();
            let length = plain_length(rest);
            self.at += length + 1;
            if *rest.get(length)? != b'\\' {
                break;
            }
        }
        let quoted = self.text.get(start - 1..self.at)?;
        match read_general(quoted) {
            Ok(Value::String(text)) => Some(text),
            _ => None,
        }
    }

    #[inline]
    fn number(&mut self, place: &mut Value) -> Option<()> {
        let rest = self.rest();
        let is_negative = rest.first() == Some(&b'-');
        let digits = &rest[usize::from(is_negative)..];
        let mut number = 0_i64;
        let mut length = 0;
        while let Some(digit @ b'0'..=b'9') = digits.get(length) {
            number = number
                .wrapping_mul(10)
                .wrapping_add(i64::from(digit - b'0'));
            length += 1;
        }
        // Minus nought is a float, and no other number begins with a nought.
        let is_integer = if digits.first() == Some(&b'0') {
            length == 1 && !is_negative
        } else {
            (1..=MAX_DIGITS).contains(&length)
        };
        if !is_integer || matches!(digits.get(length), Some(b'.' | b'e' | b'E')) {
            *place = self.general_number()?;
            return Some(());
        }
        self.at += length + usize::from(is_negative);
        let number = if is_negative { -number } else { number };
        *place = Value::Number(number.into());
        Some(())
    }

    #[cold]
    fn general_number(&mut self) -> Option<Value> {
        let is_part = |byte: &&u8| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-');
        let start = self.at;
        self.at += self.rest().iter().take_while(is_part).count();
        read_general(&self.text[start..self.at]).ok()
    }
}

/// How many bytes come before the first quote, backslash or control character; all, where there is none.
#[inline]
fn plain_length(text: &[u8]) -> usize {
    /// Longer texts are looked at in words.
    const SHORT: usize = 16;
    let is_special = |byte: &u8| matches!(byte, b'"' | b'\\' | ..b' ');
    match text.iter().take(SHORT).position(is_special) {
        Some(length) => length,
        None if text.len() <= SHORT => text.len(),
        None => SHORT + plain_length_in_words(&text[SHORT..]),
    }
}

fn plain_length_in_words(text: &[u8]) -> usize {
    const WORD: usize = size_of::<u64>();
    let mut length = 0;
    for word in text.chunks_exact(WORD) {
        let word = word.try_into().map_or(0, u64::from_le_bytes);
        let special = specials(word);
        if special != 0 {
            return length + special.trailing_zeros() as usize / 8;
        }
        length += WORD;
    }
    let rest = &text[length..];
    let is_special = |byte: &u8| matches!(byte, b'"' | b'\\' | ..b' ');
    length + rest.iter().position(is_special).unwrap_or(rest.len())
}

/// The high bits of those bytes that are a quote, a backslash or a control character, at least as far as the lowest one:
/// a borrow may mark bytes above it.
fn specials(word: u64) -> u64 {
    const LOW: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let zero = |word: u64| word.wrapping_sub(LOW) & !word & HIGH;
    let control = word.wrapping_sub(LOW * 0x20) & !word & HIGH;
    control | zero(word ^ (LOW * u64::from(b'"'))) | zero(word ^ (LOW * u64::from(b'\\')))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Option<Value> {
        let mut value = Value::Null;
        read_into(text, &mut value).then_some(value)
    }

    /// Pieces that JSON is made of, and some that it isn't.
    fn piece() -> impl Strategy<Value = &'static str> {
        prop::sample::select(vec![
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            "\"",
            "\"a\"",
            "\"b\"",
            "\"a\":1",
            "\\",
            "\\n",
            "\\u0061",
            "\\ud800",
            "\u{1}",
            " ",
            "\n",
            "0",
            "-",
            "-0",
            "1",
            "12",
            "01",
            ".",
            "1.5",
            "e",
            "1e3",
            "1e999",
            "+",
            "999999999999999999",
            "9223372036854775807",
            "18446744073709551615",
            "99999999999999999999",
            "true",
            "false",
            "null",
            "nul",
            "é",
            "\u{fffd}",
            "a long text of words",
            "$serde_json::private::Number",
        ])
    }

    fn json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
            "[a-z\"\\\\\n é]{0,40}".prop_map(Value::from),
        ];
        leaf.prop_recursive(5, 40, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::vec((".{0,12}", inner), 0..5)
                    .prop_map(|entries| entries.into_iter().collect::<Map<_, _>>().into()),
            ]
        })
    }

    fn is_read_as_by_the_general_parser(text: &str) -> Result<(), TestCaseError> {
        if let Some(value) = read(text) {
            let general = read_general(text);
            prop_assert!(general.is_ok(), "{text:?}: {general:?}");
            prop_assert_eq!(general.ok(), Some(value), "{:?}", text);
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn what_is_read_is_read_as_by_the_general_parser(pieces in prop::collection::vec(piece(), 0..12)) {
            is_read_as_by_the_general_parser(&pieces.concat())?;
        }

        #[test]
        fn json_of_any_kind_is_read(value in json(), at in any::<prop::sample::Index>(), piece in piece()) {
            for text in [value.to_string(), format!(" {value:#}\r\n")] {
                prop_assert_eq!(read(&text), Some(read_general(&text).unwrap()), "{}", text);
                // The same, broken somewhere.
                let mut broken = text.clone();
                let at = (0..=at.index(text.len() + 1)).rev().find(|at| text.is_char_boundary(*at)).unwrap();
                broken.insert_str(at, piece);
                is_read_as_by_the_general_parser(&broken)?;
                is_read_as_by_the_general_parser(&text[..at])?;
            }
        }

        #[test]
        fn the_first_special_byte_is_found(mut bytes in prop::collection::vec(any::<u8>(), 0..60), plain in 0_usize..60) {
            for byte in bytes.iter_mut().take(plain) {
                *byte |= 0x80;
            }
            let special = |byte: &u8| *byte == b'"' || *byte == b'\\' || *byte < 0x20;
            let expected = bytes.iter().position(special).unwrap_or(bytes.len());
            prop_assert_eq!(plain_length(&bytes), expected);
            prop_assert_eq!(plain_length_in_words(&bytes), expected);
        }
    }

    #[test]
    fn depth_is_left_to_the_general_parser() {
        for depth in [1, 119, 120, 121, 127, 128, 100_000] {
            let text = "[".repeat(depth) + &"]".repeat(depth);
            assert_eq!(read(&text).is_some(), depth <= 120, "{depth}");
        }
    }

    #[test]
    fn a_key_given_twice_is_not_read() {
        for text in [
            r#"{"a":1,"a":1}"#,
            r#"[{"a":{},"b":2,"a":3}]"#,
            r#"{"a":1,"\u0061":2}"#,
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
