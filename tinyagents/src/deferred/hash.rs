//! Hashes of JSON that don't depend on how it was written.

use std::io::{self, Write};

use serde_json::{Map, Number, Value};
use sha2::{Digest, Sha256};

/// SHA-256 over the canonical form of JSON (RFC 8785), in lower-case hexadecimal.
pub(crate) fn hash_json(value: &Value) -> String {
    let mut canonical = Canonical::default();
    canonical.value(value);
    canonical.finish()
}

/// The same of the array of these parts.
pub(crate) fn hash_parts(parts: &[Part<'_>]) -> String {
    let mut canonical = Canonical::default();
    canonical.list(parts, |canonical, part| match part {
        Part::Text(text) => canonical.text(text),
        Part::Missing => canonical.bytes(b"null"),
        Part::Json(value) => canonical.value(value),
    });
    canonical.finish()
}

/// A part of what is hashed together.
pub(crate) enum Part<'a> {
    Text(&'a str),
    Missing,
    Json(&'a Value),
}

impl<'a> From<Option<&'a str>> for Part<'a> {
    fn from(text: Option<&'a str>) -> Self {
        text.map_or(Self::Missing, Self::Text)
    }
}

/// SHA-256 in lower-case hexadecimal.
pub(crate) fn hash_bytes(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

fn hexadecimal(digest: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = String::with_capacity(2 * digest.len());
    for byte in digest {
        for half in [byte >> 4, byte & 15] {
            text.push(char::from(DIGITS[usize::from(half)]));
        }
    }
    text
}

/// Canonical JSON on its way into a hash. What comes in small pieces is gathered first.
struct Canonical {
    hash: Sha256,
    gathered: [u8; 256],
    length: usize,
}

impl Default for Canonical {
    fn default() -> Self {
        Self {
            hash: Sha256::new(),
            gathered: [0; 256],
            length: 0,
        }
    }
}

impl Canonical {
    fn finish(mut self) -> String {
        self.hash.update(&self.gathered[..self.length]);
        hexadecimal(&self.hash.finalize())
    }

    fn bytes(&mut self, bytes: &[u8]) {
        let end = self.length + bytes.len();
        if let Some(free) = self.gathered.get_mut(self.length..end) {
            free.copy_from_slice(bytes);
            self.length = end;
            return;
        }
        self.hash.update(&self.gathered[..self.length]);
        self.hash.update(bytes);
        self.length = 0;
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.bytes(b"null"),
            Value::Bool(true) => self.bytes(b"true"),
            Value::Bool(false) => self.bytes(b"false"),
            Value::Number(number) => self.number(number),
            Value::String(text) => self.text(text),
            Value::Array(items) => self.list(items, Self::value),
            Value::Object(object) => self.object(object),
        }
    }

    fn list<T>(&mut self, items: &[T], mut write: impl FnMut(&mut Self, &T)) {
        self.bytes(b"[");
        for (position, item) in items.iter().enumerate() {
            if position > 0 {
                self.bytes(b",");
            }
            write(self, item);
        }
        self.bytes(b"]");
    }

    /// Properties are sorted by the UTF-16 code units of their names.
    fn object(&mut self, object: &Map<String, Value>) {
        self.bytes(b"{");
        if object
            .keys()
            .is_sorted_by(|left, right| is_before(left, right))
        {
            for (position, property) in object.iter().enumerate() {
                self.property(position, property);
            }
        } else {
            let mut sorted: Vec<(&String, &Value)> = object.iter().collect();
            sorted.sort_by(|(left, _), (right, _)| left.encode_utf16().cmp(right.encode_utf16()));
            for (position, property) in sorted.into_iter().enumerate() {
                self.property(position, property);
            }
        }
        self.bytes(b"}");
    }

    fn property(&mut self, position: usize, (name, value): (&String, &Value)) {
        if position > 0 {
            self.bytes(b",");
        }
        self.text(name);
        self.bytes(b":");
        self.value(value);
    }

    fn text(&mut self, text: &str) {
        let is_plain = |byte: &u8| *byte >= b' ' && *byte != b'"' && *byte != b'\\';
        if text.as_bytes().iter().all(is_plain) {
            self.bytes(b"\"");
            self.bytes(text.as_bytes());
            self.bytes(b"\"");
        } else {
            // A hash takes whatever is written; serde_json escapes as little as the canonical form does.
            let _ = serde_json::to_writer(self, text);
        }
    }

    fn number(&mut self, number: &Number) {
        let float = number.is_f64().then(|| number.as_f64()).flatten();
        match float {
            Some(float) => self.bytes(as_script(float).as_bytes()),
            // As above.
            None => drop(serde_json::to_writer(self, number)),
        }
    }
}

impl Write for Canonical {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn is_before(left: &str, right: &str) -> bool {
    if left.is_ascii() && right.is_ascii() {
        return left < right;
    }
    left.encode_utf16().lt(right.encode_utf16())
}

/// A double as ECMAScript writes it (`Number::toString`), so that `3.0` is `3`.
fn as_script(float: f64) -> String {
    // Rust's exponent form has the shortest digits that read back the same, as asked for.
    let shortest = format!("{:e}", float.abs());
    let (mantissa, exponent) = shortest.split_once('e').unwrap_or((&shortest, "0"));
    let digits = mantissa.replace('.', "");
    let exponent: i32 = exponent.parse().unwrap_or_default();
    let sign = if float < 0.0 { "-" } else { "" };
    // The place of the decimal point, counted in digits from the first.
    let point = exponent + 1;
    let count = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    let zeros = |count: i32| "0".repeat(usize::try_from(count).unwrap_or_default());
    if count <= point && point <= 21 {
        return format!("{sign}{digits}{}", zeros(point - count));
    }
    if 0 < point && point <= 21 {
        let (whole, part) = digits.split_at(usize::try_from(point).unwrap_or_default());
        return format!("{sign}{whole}.{part}");
    }
    if -6 < point && point <= 0 {
        return format!("{sign}0.{}{digits}", zeros(-point));
    }
    let plus = if exponent < 0 { "" } else { "+" };
    let (first, rest) = digits.split_at(1);
    let dot = if rest.is_empty() { "" } else { "." };
    format!("{sign}{first}{dot}{rest}e{plus}{exponent}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn hash_text(text: &str) -> String {
        hash_bytes(text.as_bytes())
    }

    #[test]
    fn the_order_of_properties_does_not_matter() {
        let left = json!({ "a": 1, "b": { "c": [1, 2], "d": null } });
        let right: Value = serde_json::from_str(r#"{"b":{"d":null,"c":[1,2]},"a":1.0}"#).unwrap();
        assert_eq!(hash_json(&left), hash_json(&right));
        assert_ne!(hash_json(&left), hash_json(&json!({ "a": 2 })));
    }

    #[test]
    fn the_hash_is_sha_256() {
        assert_eq!(
            hash_json(&json!({})),
            "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
        );
    }

    #[test]
    fn what_is_hashed_is_the_canonical_form() {
        let value: Value = serde_json::from_str(
            r#"{ "\ufb33": 1, "\ud83d\ude00": [true, false, null], "é": "\u0008\u001f\"\\/ä", "a": {"c":2,"b":1} }"#,
        )
        .unwrap();
        let canonical = "{\"a\":{\"b\":1,\"c\":2},\"é\":\"\\b\\u001f\\\"\\\\/ä\",\"\u{1f600}\":[true,false,null],\"\u{fb33}\":1}";
        assert_eq!(hash_json(&value), hash_text(canonical));
        let long = json!(["x".repeat(1000), "y".repeat(200), "z".repeat(200)]);
        assert_eq!(hash_json(&long), hash_text(&long.to_string()));
    }

    #[test]
    fn parts_are_hashed_as_an_array_of_them() {
        let arguments = json!({ "b": 1, "a": "\n" });
        let parts = [
            Part::from(Some("r\"1")),
            Part::from(None),
            Part::Json(&arguments),
        ];
        let array = json!(["r\"1", null, arguments]);
        assert_eq!(hash_parts(&parts), hash_json(&array));
    }

    #[test]
    fn numbers_are_written_as_ecmascript_does() {
        for (float, text) in [
            (0.0, "0"),
            (-0.0, "0"),
            (3.0, "3"),
            (-1.5, "-1.5"),
            (1e20, "100000000000000000000"),
            (1.234e21, "1.234e+21"),
            (1e21, "1e+21"),
            (123_456.789, "123456.789"),
            (1e-6, "0.000001"),
            (1.5e-7, "1.5e-7"),
            (5e-324, "5e-324"),
            (f64::MAX, "1.7976931348623157e+308"),
            (9_007_199_254_740_994.0, "9007199254740994"),
            (333_333_333.333_333_3, "333333333.3333333"),
        ] {
            assert_eq!(as_script(float), text, "{float:e}");
            assert_eq!(hash_json(&json!(float)), hash_text(text));
        }
        let whole = json!([u64::MAX, i64::MIN, 3]);
        assert_eq!(hash_json(&whole), hash_text(&whole.to_string()));
    }
}
