//! `call:NAME{…}` with quotes that are tokens, as Gemma 4 writes it.

use super::call;
use super::find::Find;
use super::machine::{Machine, Opener, Progress};
use super::named_json::is_name;
use super::scan::{MAX_TOKEN, token};
use crate::dialect::literal;
use crate::dialect::offered::Offered;

const OPEN: &str = "<|tool_call>call:";
const CLOSE: &str = "<tool_call|>";
const QUOTE: &str = "<|\"|>";

pub(super) const OPENER: Opener = Opener::new(OPEN, || {
    Box::new(Gemma {
        find: Find::new(OPEN.len()),
        is_quoted: false,
    })
});

#[derive(Debug)]
struct Gemma {
    find: Find,
    is_quoted: bool,
}

impl Machine for Gemma {
    fn advance(&mut self, region: &str, is_end: bool, offered: &Offered<'_>) -> Progress {
        let rest = token(&region[OPEN.len()..]);
        let length = match rest.find(|next: char| !is_name(next)) {
            None if !is_end && rest.len() < MAX_TOKEN => return Progress::More,
            None => return Progress::Broken(OPEN.len() + rest.len()),
            Some(length) if length == 0 || !rest[length..].starts_with('{') => {
                return Progress::Broken(OPEN.len() + length + 1);
            }
            Some(length) => length,
        };
        let name = &rest[..length];
        let start = OPEN.len() + length;
        let (inner, end) = loop {
            let markers: &[&str] = if self.is_quoted {
                &[QUOTE]
            } else {
                &[QUOTE, CLOSE]
            };
            match self.find.advance(region, markers) {
                Some((place, QUOTE)) => {
                    self.find = Find::new(place + QUOTE.len());
                    self.is_quoted = !self.is_quoted;
                }
                Some((place, _)) => break (place, place + CLOSE.len()),
                None if is_end => break (region.len(), region.len()),
                None => return Progress::More,
            }
        };
        let raw = &region[start..inner];
        let call = match literal::read(&with_plain_quotes(raw)) {
            Ok(value) => call::typed(offered, String::new(), name, Some(value)),
            Err(reason) => call::damaged(offered, String::new(), name, raw, reason),
        };
        Progress::calls(end, vec![call], &[])
    }
}

/// The same with JSON's quotes, what is quoted escaped for them.
fn with_plain_quotes(raw: &str) -> String {
    let mut plain = String::with_capacity(raw.len());
    for (position, part) in raw.split(QUOTE).enumerate() {
        if position % 2 == 0 {
            plain.push_str(part);
        } else {
            plain.push_str(&serde_json::Value::from(part).to_string());
        }
    }
    plain
}
