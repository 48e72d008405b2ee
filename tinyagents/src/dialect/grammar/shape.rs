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
    key == "type" || [&NAME[..], &ARGUMENTS, &ID].concat().contains(&key)
}

/// The calls in the text of one object or one list of objects; `None` if it isn't that.
pub(super) fn read(
    offered: &Offered<'_>,
    text: &str,
    strictness: Strictness,
) -> Option<Vec<ToolCall>> {
    let value = match literal::read(text) {
        Ok(value) => value,
        Err(reason) if strictness == Strictness::Marked => {
            let name = call::name_in(text)?;
            let raw = raw_arguments(text);
            return Some(vec![call::damaged(
                offered,
                String::new(),
                name,
                raw,
                reason,
            )]);
        }
        Err(_) => return None,
    };
    let items = match value {
        Value::Array(items) => items,
        object => vec![object],
    };
    items
        .into_iter()
        .map(|item| one(offered, item, strictness))
        .collect::<Option<Vec<_>>>()
        .filter(|calls| !calls.is_empty())
}

fn one(offered: &Offered<'_>, item: Value, strictness: Strictness) -> Option<ToolCall> {
    let Value::Object(mut object) = item else {
        return None;
    };
    let id = match take(&mut object, &ID) {
        Some(Value::String(id)) => id,
        Some(Value::Number(id)) => id.to_string(),
        _ => String::new(),
    };
    if let Some(Value::Object(function)) = object.get_mut("function") {
        object = std::mem::take(function);
    }
    let is_explicit = object.contains_key("arguments");
    let Some(Value::String(name)) = take(&mut object, &NAME) else {
        return None;
    };
    let arguments = take(&mut object, &ARGUMENTS);
    object.remove("type");
    if strictness == Strictness::Bare {
        let is_offered = offered.find(&name).is_some();
        let is_known = is_offered || is_explicit && !offered.is_empty();
        let is_whole = matches!(arguments, Some(Value::Object(_) | Value::String(_)));
        if !is_known || !is_whole || !object.is_empty() {
            return None;
        }
    }
    Some(call::typed(offered, id, &name, arguments))
}

fn take(object: &mut Map<String, Value>, keys: &[&str]) -> Option<Value> {
    keys.iter().find_map(|key| {
        let is_there =
            matches!(object.get(*key), Some(value) if !value.is_object() || !NAME.contains(key));
        is_there.then(|| object.remove(*key)).flatten()
    })
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
