//! Calls that no marker announces, at the start of a line.

use super::call_line::CallLine;
use super::fence::Fence;
use super::json_calls::JsonCalls;
use super::machine::Machine;
use super::wrapped::{Choice, Wrapped};
use crate::dialect::offered::Offered;

/// The grammar that a line beginning with this byte may be in; `is_first` where no text came before it in the message.
///
/// After text, such calls count only at the end of the message: before more text they are an example in it.
pub(in crate::dialect) fn begin(
    first: u8,
    is_first: bool,
    offered: &Offered<'_>,
) -> Option<Box<dyn Machine>> {
    Some(match first {
        b'{' => Box::new(JsonCalls::bare(!is_first)),
        b'[' => Box::new(Wrapped::new(0, move |rest| list(rest, is_first))),
        b'`' if is_first => Box::new(Fence::new()),
        _ if offered.begins_with(first) => Box::new(CallLine::bare(!is_first)),
        _ => return None,
    })
}

fn list(rest: &str, is_first: bool) -> Choice {
    match rest[1..].trim_start().bytes().next() {
        None => Choice::More,
        Some(b'{') => Choice::Inner(0, Box::new(JsonCalls::bare(!is_first))),
        Some(_) => Choice::Inner(0, Box::new(CallLine::bare_list(!is_first))),
    }
}
