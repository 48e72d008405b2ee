//! `<invoke name="…">` around `<parameter name="…">`, as `MiniMax` and other models write it.

use super::machine::{Machine, Opener};
use super::parameters::{KeyRead, Parameters, Syntax};
use super::wrapped::{Choice, Wrapped};

pub(super) const OPEN: &str = "<invoke name=\"";
/// Closes one parameter.
pub(super) const PARAMETER_END: &str = "</parameter>";
const MINIMAX: &str = "<minimax:tool_call>";
const FUNCTION_CALLS: &str = "<function_calls>";

pub(super) const OPENERS: [Opener; 3] = [
    Opener::new(OPEN, begin),
    Opener::new(MINIMAX, || wrapper(MINIMAX.len())),
    Opener::new(FUNCTION_CALLS, || wrapper(FUNCTION_CALLS.len())),
];

static SYNTAX: Syntax = Syntax {
    open: "<parameter name=\"",
    key: attribute_key,
    close: PARAMETER_END,
    end: &["</invoke>"],
    closers: &["</minimax:tool_call>", "</function_calls>"],
};

pub(super) fn begin() -> Box<dyn Machine> {
    named(OPEN, &SYNTAX)
}

fn wrapper(marker: usize) -> Box<dyn Machine> {
    Box::new(Wrapped::new(marker, |rest| first(rest, OPEN, begin)))
}

/// The first call of a wrapper.
pub(super) fn first(rest: &str, open: &str, begin: fn() -> Box<dyn Machine>) -> Choice {
    if rest.starts_with(open) {
        Choice::Inner(0, begin())
    } else if open.starts_with(rest) {
        Choice::More
    } else {
        Choice::No
    }
}

/// A call whose name is an attribute of its opening tag.
pub(super) fn named(open: &'static str, syntax: &'static Syntax) -> Box<dyn Machine> {
    Box::new(Wrapped::new(open.len(), move |rest| {
        match attribute_key(rest) {
            KeyRead::More => Choice::More,
            KeyRead::No => Choice::No,
            KeyRead::Key { key, length, .. } => {
                Choice::Inner(length, Box::new(Parameters::new(syntax, &key, 0)))
            }
        }
    }))
}

/// Reads `KEY">`, and `KEY" string="true">`, which says whether the value is text.
pub(super) fn attribute_key(rest: &str) -> KeyRead {
    let Some(end) = rest.find(['"', '\n', '<']) else {
        return KeyRead::More;
    };
    if end == 0 || !rest[end..].starts_with('"') {
        return KeyRead::No;
    }
    let Some(close) = rest[end..].find(['>', '\n', '<']) else {
        return KeyRead::More;
    };
    let close = end + close;
    if !rest[close..].starts_with('>') {
        return KeyRead::No;
    }
    let is_text = match rest[end + 1..close].trim() {
        "" => None,
        "string=\"true\"" => Some(true),
        "string=\"false\"" => Some(false),
        _ => return KeyRead::No,
    };
    KeyRead::Key {
        key: rest[..end].to_owned(),
        length: close + 1,
        is_text,
    }
}
