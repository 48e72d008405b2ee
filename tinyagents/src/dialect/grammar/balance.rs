//! The end of a bracket in text that comes in pieces; each byte is looked at once.

use memchr::memchr2;

use super::machine::Awaited;

/// Deepest nesting that is followed; arguments nested deeper are refused anyway.
const MAX_DEPTH: usize = 512;

/// How far a scan has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scan {
    More,
    /// The end, exclusive.
    End(usize),
    /// There is none; so many bytes had to be looked at.
    Broken(usize),
}

/// The end of the bracket that a region's next byte opens, strings skipped.
#[derive(Debug)]
pub(super) struct Balance {
    at: usize,
    open: Vec<u8>,
    quote: Option<Quote>,
    /// The place of a string that may be a key of the outermost object.
    key: Option<usize>,
    expects_key: bool,
    /// Which keys the outermost object may have. Default: any.
    allows: Option<fn(&str) -> bool>,
}

#[derive(Clone, Copy, Debug)]
struct Quote {
    mark: u8,
    is_triple: bool,
    is_escaped: bool,
}

impl Balance {
    pub(super) fn new(at: usize) -> Self {
        Self {
            at,
            open: Vec::new(),
            quote: None,
            key: None,
            expects_key: false,
            allows: None,
        }
    }

    /// Breaks at a key of the outermost object that is not allowed.
    pub(super) fn with_keys(mut self, allows: fn(&str) -> bool) -> Self {
        self.allows = Some(allows);
        self
    }

    /// What it waits for after [`Scan::More`].
    pub(super) fn awaits(&self) -> Awaited {
        match self.quote {
            Some(quote) if !quote.is_escaped => Awaited::Either(quote.mark, b'\\'),
            _ => Awaited::Anything,
        }
    }

    pub(super) fn advance(&mut self, region: &str, is_end: bool) -> Scan {
        let bytes = region.as_bytes();
        while let Some(&byte) = bytes.get(self.at) {
            if let Some(quote) = self.quote {
                if !self.in_string(region, quote, is_end) {
                    return if is_end {
                        Scan::Broken(self.at)
                    } else {
                        Scan::More
                    };
                }
                if self.is_foreign_key(region) {
                    return Scan::Broken(self.at);
                }
                continue;
            }
            match byte {
                b'"' | b'\'' => {
                    let Some(is_triple) = opens_triple(&bytes[self.at..], byte, is_end) else {
                        return Scan::More;
                    };
                    if self.expects_key && self.open.len() == 1 {
                        self.key = Some(self.at + 1);
                    }
                    self.at += if is_triple { 2 } else { 0 };
                    self.quote = Some(Quote {
                        mark: byte,
                        is_triple,
                        is_escaped: false,
                    });
                }
                b'(' | b'[' | b'{' => {
                    if self.open.len() == MAX_DEPTH {
                        return Scan::Broken(self.at + 1);
                    }
                    self.expects_key = byte == b'{';
                    self.open.push(byte);
                }
                b')' | b']' | b'}' => {
                    let opened = match byte {
                        b')' => b'(',
                        b']' => b'[',
                        _ => b'{',
                    };
                    if self.open.pop() != Some(opened) {
                        return Scan::Broken(self.at + 1);
                    }
                    self.expects_key = false;
                    if self.open.is_empty() {
                        self.at += 1;
                        return Scan::End(self.at);
                    }
                }
                b',' => self.expects_key = self.open.as_slice() == b"{",
                b':' => self.expects_key = false,
                _ => {}
            }
            self.at += 1;
        }
        if is_end {
            Scan::Broken(self.at)
        } else {
            Scan::More
        }
    }

    /// Goes on in a string; whether there is text after it.
    fn in_string(&mut self, region: &str, mut quote: Quote, is_end: bool) -> bool {
        let bytes = region.as_bytes();
        // The opening quote itself is passed by the caller's step; here begins what is quoted.
        while let Some(&byte) = bytes.get(self.at) {
            if quote.is_escaped {
                quote.is_escaped = false;
            } else if byte == b'\\' {
                quote.is_escaped = true;
            } else if byte == quote.mark {
                if !quote.is_triple {
                    self.at += 1;
                    self.quote = None;
                    return true;
                }
                let rest = &bytes[self.at..];
                if rest.len() < 3 && !is_end && rest.iter().all(|&next| next == byte) {
                    break;
                }
                if rest.starts_with(&[byte; 3]) {
                    self.at += 3;
                    self.quote = None;
                    return true;
                }
            } else {
                let plain = memchr2(quote.mark, b'\\', &bytes[self.at..]);
                self.at = plain.map_or(bytes.len(), |plain| self.at + plain);
                continue;
            }
            self.at += 1;
        }
        self.quote = Some(quote);
        false
    }

    fn is_foreign_key(&mut self, region: &str) -> bool {
        let (Some(start), None) = (self.key, self.quote) else {
            return false;
        };
        self.key = None;
        let key = region.get(start..self.at - 1).unwrap_or_default();
        self.allows.is_some_and(|allows| !allows(key))
    }
}

/// Whether three quotes stand here; `None` while that isn't known. An empty string is followed by something else.
fn opens_triple(rest: &[u8], quote: u8, is_end: bool) -> Option<bool> {
    if rest.len() < 3 && !is_end && rest.iter().all(|&byte| byte == quote) {
        return None;
    }
    Some(rest.starts_with(&[quote; 3]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(text: &str) -> Scan {
        let whole = Balance::new(0).advance(text, true);
        let mut bytewise = Balance::new(0);
        let mut last = Scan::More;
        for end in 1..=text.len() {
            if text.is_char_boundary(end) {
                last = bytewise.advance(&text[..end], end == text.len());
                if last != Scan::More {
                    break;
                }
            }
        }
        assert_eq!(last, whole, "{text}");
        whole
    }

    #[test]
    fn brackets_in_strings_do_not_count() {
        assert_eq!(end(r#"{"a": "}]\"}"} x"#), Scan::End(14));
        assert_eq!(end("('it\\'s )', \"\"\")\"x\"\"\")"), Scan::End(22));
        assert_eq!(end("[\"\", '']"), Scan::End(8));
    }

    #[test]
    fn what_does_not_match_or_end_is_told() {
        assert_eq!(end("[}"), Scan::Broken(2));
        assert_eq!(end("{\"a"), Scan::Broken(3));
        assert_eq!(end("{\"a\": 1"), Scan::Broken(7));
        assert!(matches!(end(&"[".repeat(600)), Scan::Broken(_)));
    }

    #[test]
    fn a_foreign_key_of_the_outermost_object_breaks_it() {
        let scan = |text: &str| {
            Balance::new(0)
                .with_keys(|key| key == "name")
                .advance(text, true)
        };
        assert!(matches!(
            scan(r#"{"name": {"x": 1}, "name": [{"y": 2}]}"#),
            Scan::End(_)
        ));
        assert_eq!(scan(r#"{"name": 1, "age": 2}"#), Scan::Broken(17));
    }
}
