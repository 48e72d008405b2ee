//! Shapes that gateways make of an object, brought back where nothing has to be guessed.

use serde_json::{Map, Value};

use super::relaxed_json::without_fences;
use crate::model::strict_json;
use crate::registry::RegisteredTool;

/// What is wrong with arguments that [`normalized`] changes.
pub(super) const NOT_AN_OBJECT: &str = "the arguments are no object";

/// Blank, `null` and absent arguments are `{}`; the schema then decides.
pub(super) fn is_blank(arguments: &Value) -> bool {
    match arguments {
        Value::Null => true,
        Value::String(text) => {
            let text = text.trim();
            text.is_empty() || text == "null"
        }
        _ => false,
    }
}

/// What [`NormalizeThenReturnToolError`](crate::harness::InvalidArgsPolicy::NormalizeThenReturnToolError) makes of
/// arguments that the schema refused; `None` when it changes nothing.
pub(super) fn normalized(tool: &RegisteredTool, arguments: &Value) -> Option<Value> {
    // A schema that may accept a primitive or an array gets it untouched.
    if arguments.is_object() || !tool.takes_only_objects() {
        return None;
    }
    if let Value::String(text) = arguments
        && let Ok(value @ Value::Object(_)) = strict_json::parse(without_fences(text))
    {
        return Some(value);
    }
    // A malformed call must not turn into a call that does something.
    let harmless = !tool.has_required() && tool.may_repeat();
    harmless.then(|| Value::Object(Map::new()))
}
