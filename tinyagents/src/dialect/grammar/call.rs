//! One typed call from what a grammar has read.

use serde_json::{Map, Value};

use crate::admission::coerce;
use crate::dialect::literal;
use crate::dialect::meant::Meant;
use crate::dialect::offered::Offered;
use crate::model::ToolCall;

/// A call whose arguments were written with their types.
pub(super) fn typed(
    offered: &Offered<'_>,
    id: String,
    name: &str,
    arguments: Option<Value>,
) -> ToolCall {
    let arguments = match arguments {
        None | Some(Value::Null) => Value::Object(Map::new()),
        Some(Value::String(text)) if text.trim().is_empty() => Value::Object(Map::new()),
        // Some gateways write the object as text.
        Some(Value::String(text)) => match literal::read(&text) {
            Ok(object @ Value::Object(_)) => object,
            Ok(_) => return damaged(offered, id, name, &text, "the arguments are no object"),
            Err(reason) => return damaged(offered, id, name, &text, reason),
        },
        Some(other) => other,
    };
    finish(offered, id, name, arguments)
}

/// A call whose arguments were written as text; the schema says what they stand for.
pub(super) fn untyped(
    offered: &Offered<'_>,
    name: &str,
    arguments: Vec<(String, Value)>,
    raw: &str,
) -> ToolCall {
    let mut object = Map::new();
    for (key, value) in arguments {
        if let Err(reason) = literal::insert_once(&mut object, key, value) {
            return damaged(offered, String::new(), name, raw, reason);
        }
    }
    finish(offered, String::new(), name, Value::Object(object))
}

/// A call that was meant and can't be read; admission repairs it or tells the model.
pub(super) fn damaged(
    offered: &Offered<'_>,
    id: String,
    name: &str,
    raw: &str,
    reason: impl Into<String>,
) -> ToolCall {
    let mut call = ToolCall::new(id, known_name(offered, name), Value::String(raw.to_owned()));
    call.invalid = Some(reason.into());
    call
}

/// What the texts of a tool's arguments stand for.
pub(super) fn meant<'a, 't>(
    offered: &'a Offered<'_>,
    tool: &str,
    written: &(impl Iterator<Item = (&'t str, &'t str)> + Clone),
) -> Meant<'a> {
    let schema = offered.find(tool);
    let root = schema.map_or(&Value::Null, |schema| &schema.parameters);
    Meant::by(root, root, written, str::to_owned)
}

fn finish(offered: &Offered<'_>, id: String, name: &str, mut arguments: Value) -> ToolCall {
    let Some(schema) = offered.find(name) else {
        return ToolCall::new(id, name.trim(), arguments);
    };
    coerce(&schema.parameters, &mut arguments);
    ToolCall::new(id, schema.name.as_str(), arguments)
}

/// The offered name, where the model meant one; else the name as written.
fn known_name(offered: &Offered<'_>, name: &str) -> String {
    offered
        .find(name)
        .map_or_else(|| name.trim().to_owned(), |schema| schema.name.clone())
}

/// The name in what should have been a call written as an object, if it can be told.
pub(super) fn name_in(raw: &str) -> Option<&str> {
    ["\"name\"", "'name'", "\"tool_name\""]
        .iter()
        .find_map(|key| {
            let rest = raw[raw.find(key)? + key.len()..].trim_start();
            let rest = rest.strip_prefix(':')?.trim_start();
            let quote = rest.chars().next().filter(|quote| "\"'".contains(*quote))?;
            let name = rest[1..].split_once(quote)?.0;
            let is_name = !name.is_empty() && name.len() <= super::scan::MAX_TOKEN;
            (is_name && !name.contains(['\\', '\n'])).then_some(name)
        })
}
