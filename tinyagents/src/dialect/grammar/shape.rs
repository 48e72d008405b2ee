//! Objects that are calls, in the keys that models use.

use serde_json::{Map, Value};

use super::call;
use crate::dialect::literal;
use crate::dialect::offered::Offered;
use crate::model::ToolCall;

const NAME: [&str; 4] = ["name", "tool_name", "tool", "function"];
const ARGUMENTS: [&str; 4] = ["arguments", "parameters", "args", "input"];
const ID: [&str; 3] = ["id", "tool_call_id", "call_id"];

/// How much has to be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strictness {
    /// A marker says that it is a call: a name is enough.
    Marked,
    /// Nothing says so but the shape: arguments have to be there, and the tool has to be an offered one.
    Bare,
}

/// Whether a call written as an object can have this key.
pub(super) fn is_key(key: &str) -> bool {
    key == "type"
        || [&NAME[..], &ARGUMENTS, &ID]
            .iter()
            .any(|keys| keys.contains(&key))
}

/// Adds the calls in the text of one object or one list of objects; `false` if it isn't that.
pub(super) fn read(
    offered: &Offered<'_>,
    text: &str,
    strictness: Strictness,
    calls: &mut Vec<ToolCall>,
) -> bool {
    let before = calls.len();
    let mut add = |call: Option<ToolCall>| call.map(|call| calls.push(call)).is_some();
    let is_whole = match literal::read(text) {
        Ok(Value::Array(items)) => {
            !items.is_empty()
                && items
                    .into_iter()
                    .all(|item| add(one(offered, item, strictness)))
        }
        Ok(object) => add(one(offered, object, strictness)),
        Err(reason) if strictness == Strictness::Marked => add(call::name_in(text).map(|name| {
            let raw = raw_arguments(text);
            call::damaged(offered, String::new(), name, raw, reason)
        })),
        Err(_) => false,
    };
    if !is_whole {
        calls.truncate(before);
    }
    is_whole
}

fn one(offered: &Offered<'_>, item: Value, strictness: Strictness) -> Option<ToolCall> {
    let Value::Object(object) = item else {
        return None;
    };
    let mut parts = Parts::of(object);
    if let Some(function) = parts.function.take() {
        let id = parts.id;
        parts = Parts::of(function);
        // The id stands outside; what is inside besides name and arguments is none of a call.
        parts.others |= parts.id.is_some() || parts.function.is_some();
        parts.id = id;
    }
    let Some((_, Value::String(name))) = parts.name else {
        return None;
    };
    let arguments = parts.arguments.map(|(_, value)| value);
    if strictness == Strictness::Marked
        && let Some(twice) = parts.contradiction
    {
        let raw = arguments.unwrap_or_default().to_string();
        let reason = format!("{twice} is there twice; give it once");
        return Some(call::damaged(offered, String::new(), &name, &raw, reason));
    }
    if strictness == Strictness::Bare {
        let is_offered = offered.find(&name).is_some();
        let is_known = is_offered || parts.is_explicit && !offered.is_empty();
        let is_whole = matches!(arguments, Some(Value::Object(_) | Value::String(_)));
        if !is_known || !is_whole || parts.others {
            return None;
        }
    }
    let id = match parts.id {
        Some((_, Value::String(id))) => id,
        Some((_, Value::Number(id))) => id.to_string(),
        _ => String::new(),
    };
    Some(call::typed(offered, id, &name, arguments))
}

/// The members of an object by what they mean. Of several that mean the same, the key that is named first counts.
#[derive(Default)]
struct Parts {
    id: Option<(usize, Value)>,
    name: Option<(usize, Value)>,
    arguments: Option<(usize, Value)>,
    /// The object that holds name and arguments, where they aren't in this one.
    function: Option<Map<String, Value>>,
    /// The arguments are under the key that nothing but a call has.
    is_explicit: bool,
    /// There are members that mean nothing.
    others: bool,
    /// What is there under two keys and differs.
    contradiction: Option<&'static str>,
}

impl Parts {
    fn of(object: Map<String, Value>) -> Self {
        let mut parts = Self::default();
        for (key, value) in object {
            let among = |keys: &[&str]| keys.iter().position(|known| *known == key);
            let (slot, what, rank) = if let Some(rank) = among(&NAME) {
                match value {
                    Value::Object(function) if key == "function" => {
                        parts.function = Some(function);
                        continue;
                    }
                    Value::Object(_) => {
                        parts.others = true;
                        continue;
                    }
                    _ => (&mut parts.name, Some("the name"), rank),
                }
            } else if let Some(rank) = among(&ARGUMENTS) {
                parts.is_explicit |= rank == 0;
                (&mut parts.arguments, Some("the object of arguments"), rank)
            } else if let Some(rank) = among(&ID) {
                (&mut parts.id, None, rank)
            } else {
                parts.others |= key != "type";
                continue;
            };
            match slot {
                None => *slot = Some((rank, value)),
                Some(before) => {
                    parts.others = true;
                    if before.1 != value {
                        parts.contradiction = what.or(parts.contradiction);
                    }
                    if rank < before.0 {
                        *before = (rank, value);
                    }
                }
            }
        }
        parts
    }
}

/// The part of a damaged object that holds the arguments; all of it where that can't be told.
fn raw_arguments(text: &str) -> &str {
    ["\"arguments\"", "\"parameters\"", "'arguments'"]
        .iter()
        .find_map(|key| {
            let rest = text[text.find(key)? + key.len()..].trim_start();
            let raw = rest.strip_prefix(':')?.trim();
            Some(raw.strip_suffix('}').map_or(raw, str::trim_end))
        })
        .unwrap_or(text)
}
