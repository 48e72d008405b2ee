//! Hidden values come from the host, never from a model.

use serde_json::Value;

use crate::registry::RegisteredTool;

/// Whether a hidden name is among the arguments.
pub(super) fn is_forged(tool: &RegisteredTool, arguments: &Value) -> bool {
    tool.hidden_names()
        .any(|name| arguments.get(name).is_some())
}

/// Removes every hidden name from the top level of the arguments, and names what was removed. The values are dropped
/// unseen: neither a middleware nor a log may be led by them.
pub(super) fn strip(tool: &RegisteredTool, arguments: &mut Value) -> Vec<&'static str> {
    let Value::Object(arguments) = arguments else {
        return Vec::new();
    };
    tool.hidden_names()
        .filter(|name| arguments.shift_remove(*name).is_some())
        .collect()
}
