//! `<tool_call>` and its spellings around JSON, as Hermes, Qwen, Granite and Jamba write it, and as our own `Json` dialect
//! does. What else models put between these tags is read too.

use super::call_line::CallLine;
use super::json_calls::JsonCalls;
use super::machine::{Machine, Opener, Then};
use super::named_json::is_name;
use super::wrapped::{Choice, Wrapped};
use super::{function_tag, glm, invoke};

/// Opens one call.
pub(in crate::dialect) const OPEN: &str = "<tool_call>";
/// Closes it.
pub(in crate::dialect) const CLOSE: &str = "</tool_call>";

const CALL: &[&str] = &[CLOSE, "}"];
const CALLS: &[&str] = &["</tool_calls>"];
const FUNCTION_CALL: &[&str] = &["</function_call>"];
const PIPED: &[&str] = &["<|/tool_call|>", "</|tool_call|>"];

pub(super) const OPENERS: [Opener; 4] = [
    Opener::new(OPEN, || {
        Box::new(Wrapped::new(OPEN.len(), |rest| content(rest, CALL)))
    }),
    Opener::new("<tool_calls>", || {
        Box::new(Wrapped::new("<tool_calls>".len(), |rest| {
            content(rest, CALLS)
        }))
    }),
    Opener::new("<function_call>", || {
        Box::new(JsonCalls::after("<function_call>".len(), FUNCTION_CALL))
    }),
    Opener::new("<|tool_call|>", || {
        Box::new(JsonCalls::after("<|tool_call|>".len(), PIPED))
    }),
];

fn content(rest: &str, closers: &'static [&'static str]) -> Choice {
    let inner = |machine: Box<dyn Machine>| Choice::Inner(0, machine);
    if rest.starts_with('{') {
        return inner(Box::new(JsonCalls::after(0, closers)));
    }
    if let Some(items) = rest.strip_prefix('[') {
        return match items.trim_start().bytes().next() {
            None => Choice::More,
            Some(b'{') => inner(Box::new(JsonCalls::after(0, closers))),
            Some(_) => inner(Box::new(CallLine::list_after(0, closers))),
        };
    }
    if rest.starts_with(OPEN) {
        // Written twice; the second one is the call's.
        return Choice::Markup(0, Then::Text);
    }
    if OPEN.starts_with(rest) {
        return Choice::More;
    }
    for (marker, begin) in [
        (function_tag::OPEN, function_tag::begin as fn() -> _),
        (invoke::OPEN, invoke::begin),
    ] {
        if rest.starts_with(marker) {
            return inner(begin());
        }
        if marker.starts_with(rest) {
            return Choice::More;
        }
    }
    let length = rest.find(|next: char| !is_name(next));
    match length.map(|length| (length, rest[length..].starts_with('('))) {
        None => Choice::More,
        Some((0, _)) => Choice::No,
        Some((_, true)) => inner(Box::new(CallLine::after(0, closers))),
        Some((length, false)) => {
            let name = rest[..length].to_owned();
            Choice::Inner(length, glm::arguments(&name))
        }
    }
}
