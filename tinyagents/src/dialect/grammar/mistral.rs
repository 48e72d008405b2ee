//! `[TOOL_CALLS]` before a JSON list, or before a name and JSON, as Mistral's models write it.

use super::json_calls::JsonCalls;
use super::machine::Opener;
use super::named_json::{Header, HeaderRead, NamedJson, name};
use super::scan::{Next, literal, skip_space};
use super::wrapped::{Choice, Wrapped};

const OPEN: &str = "[TOOL_CALLS]";
const ARGUMENTS: &str = "[ARGS]";
const ID: &str = "[CALL_ID]";

pub(super) const OPENER: Opener = Opener::new(OPEN, || {
    Box::new(Wrapped::new(OPEN.len(), |rest| match rest.bytes().next() {
        None => Choice::More,
        Some(b'[' | b'{') => Choice::Inner(0, Box::new(JsonCalls::after(0, &[]))),
        Some(_) => Choice::Inner(0, Box::new(NamedJson::new(header, &[]))),
    }))
});

/// `NAME{`, `NAME[ARGS]` or `NAME[CALL_ID]ID[ARGS]`.
fn header(region: &str) -> HeaderRead {
    let Some(name) = name(region) else {
        return HeaderRead::More;
    };
    let mut header = Header {
        id: String::new(),
        name: name.to_owned(),
        end: skip_space(region, name.len()),
    };
    if name.is_empty() {
        return HeaderRead::No;
    }
    match literal(region, header.end, ID) {
        Next::Maybe => return HeaderRead::More,
        Next::No => {}
        Next::Yes(start) => {
            let Some(end) = region[start..].find('[') else {
                return HeaderRead::More;
            };
            region[start..start + end].trim().clone_into(&mut header.id);
            header.end = start + end;
        }
    }
    match literal(region, header.end, ARGUMENTS) {
        Next::Maybe => HeaderRead::More,
        Next::Yes(end) => {
            header.end = end;
            HeaderRead::Header(header)
        }
        Next::No if region[header.end..].starts_with('{') => HeaderRead::Header(header),
        Next::No => HeaderRead::No,
    }
}
