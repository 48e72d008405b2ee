//! Sentinel tokens around an id that holds the name, and JSON, as Kimi K2 writes them.

use super::machine::Opener;
use super::named_json::{Header, HeaderRead, NamedJson};
use super::wrapped::Silent;

const SECTION: &str = "<|tool_calls_section_begin|>";
const OPEN: &str = "<|tool_call_begin|>";
const ARGUMENTS: &str = "<|tool_call_argument_begin|>";
/// Closes one call.
pub(super) const END: &str = "<|tool_call_end|>";

const CLOSERS: &[&str] = &[END, "<|tool_calls_section_end|>"];

pub(super) const OPENERS: [Opener; 2] = [
    Opener::new(SECTION, || Box::new(Silent(SECTION.len()))),
    Opener::new(OPEN, || Box::new(NamedJson::new(header, CLOSERS))),
];

/// `functions.NAME:INDEX`, which is the call's id as well.
fn header(region: &str) -> HeaderRead {
    let rest = &region[OPEN.len()..];
    let Some(end) = rest.find(ARGUMENTS) else {
        return HeaderRead::More;
    };
    let id = rest[..end].trim();
    let name = match id.rsplit_once(':') {
        Some((name, index)) if index.bytes().all(|digit| digit.is_ascii_digit()) => name,
        _ => id,
    };
    let name = name.strip_prefix("functions.").unwrap_or(name);
    if name.is_empty() || name.contains(char::is_whitespace) {
        return HeaderRead::No;
    }
    HeaderRead::Header(Header {
        id: id.to_owned(),
        name: name.to_owned(),
        end: OPEN.len() + end + ARGUMENTS.len(),
    })
}
