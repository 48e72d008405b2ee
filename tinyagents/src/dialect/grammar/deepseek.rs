//! Sentinel tokens around a name and JSON, as `DeepSeek` V3 and V3.1 write them.

use super::fence::{FENCE, JSON_FENCE};
use super::machine::Opener;
use super::named_json::{Header, HeaderRead, NamedJson, is_name};
use super::wrapped::Silent;

const CALLS: &str = "<｜tool▁calls▁begin｜>";
const OPEN: &str = "<｜tool▁call▁begin｜>";
const SEPARATOR: &str = "<｜tool▁sep｜>";

const CLOSERS: &[&str] = &[FENCE, "<｜tool▁call▁end｜>", "<｜tool▁calls▁end｜>"];

pub(super) const OPENERS: [Opener; 2] = [
    Opener::new(CALLS, || Box::new(Silent(CALLS.len()))),
    Opener::new(OPEN, || Box::new(NamedJson::new(header, CLOSERS))),
];

/// `NAME<sep>`, or the older `function<sep>NAME`, a line break and the beginning of a fence.
fn header(region: &str) -> HeaderRead {
    let rest = &region[OPEN.len()..];
    let Some(separator) = rest.find(SEPARATOR) else {
        return HeaderRead::More;
    };
    let (before, after) = (rest[..separator].trim(), separator + SEPARATOR.len());
    let found = |name: &str, end: usize| {
        if name.is_empty() || !name.chars().all(|next| is_name(next) || next == ':') {
            return HeaderRead::No;
        }
        HeaderRead::Header(Header {
            id: String::new(),
            name: name.to_owned(),
            end: OPEN.len() + end,
        })
    };
    if before != "function" {
        return found(before, after);
    }
    let body = &rest[after..];
    if body.trim_start().is_empty() {
        return HeaderRead::More;
    }
    if body.trim_start().starts_with('{') {
        return found(before, after);
    }
    match body.find(JSON_FENCE) {
        None => HeaderRead::More,
        Some(fence) => found(body[..fence].trim(), after + fence + JSON_FENCE.len()),
    }
}
